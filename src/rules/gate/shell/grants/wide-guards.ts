/** Conditions that exclude a command from wildcard patterns, tested on the words after those that the pattern keeps. */
export interface Guard {
  /** Any matching word. */
  readonly deny?: RegExp
  /** Options that do not match. */
  readonly options?: RegExp
  /** Words that are not options and do not match. */
  readonly operands?: RegExp
  /** The first word that is not an option, if it does not match. */
  readonly first?: RegExp
}

const none = /^(?!)/
const remote = /^(?!\.+$)[^:/\\~@]+$/
const refs = /^(?![+:^./~]|.*\/\/)[^:@~^\\]+(?::[^:@~^\\]+)?$/
const listed =
  /^(?:-[arvil]+|--(?:all|remotes|verbose|list|contains|no-contains|merged|no-merged|points-at|sort|format|column|no-column|color|ignore-case)(?:=.*)?)$/
const scripts: Guard = { deny: /^(?:-C|--(?:prefix|dir|cwd))(?:$|=)/ }
/** Any other word may be code for the program that the script starts. */
const scriptWords: Guard = {
  options: /^--(?:|watch|coverage|run|silent|verbose|bail|ci|if-present|watchAll=false)$/,
  operands: /^(?!\/|.*\.\.)[\w./-]+\.(?:test|spec)\.[cm]?[jt]sx?$/,
}
/** Scripts named like programs that run any file or text; `yarn run node` works without such a script. */
const interpreters =
  'node nodejs tsx ts-node ts-node-esm babel-node esno jiti zx env sh bash zsh python python3 ruby perl php deno bun npx exec'
const runInterpreters = ['npm run', 'npm run-script', 'pnpm run', 'yarn run', 'bun run'].flatMap(
  (head) =>
    interpreters.split(' ').map((name): [string, Guard] => [`${head} ${name}`, { deny: /(?:)/ }]),
)
const files: Guard = { deny: /^-[a-zA-Z]*[fk]|^--(?:file|kust)/ }
const tests: Guard = {
  deny: /^-[a-zA-Z]*[ucorRCOfI]|^--(?:\w*[-.]?dir|root|coverage[.-]|coverageDir|report|cov-|junit|base|global|setup|env|cache|resolver|transform|run|past|log-|over|rsync|html|snap|browser|record|key|ui|loader|wrap|gdb|file|testdox-|bootstrap)|director/i,
}
const secrets: Guard = { deny: /auth|token|pass|secret|header|key/i }
const formatters: Guard = { deny: /^-[a-zA-Z]*[wW]|^--emit/ }
const quietly: Guard = {
  options:
    /^(?:-[qBUo]|-ntp|-T\d+|--(?:batch-mode|quiet|offline|info|stacktrace|parallel|continue))$/,
  operands: none,
}

/**
 * By program, or program and following words; every entry that the command starts with applies. Options that matter for all
 * programs are in `isDeciding`.
 */
export const guards: Readonly<Record<string, Guard>> = {
  'git push': {
    options:
      /^(?:-[uqv]+|--(?:set-upstream|quiet|verbose|progress|no-progress|follow-tags|atomic))$/,
    first: remote,
    operands: refs,
  },
  'git pull': {
    options: /^(?:-[qv]+|--(?:quiet|verbose|ff-only|ff|no-ff|rebase|no-rebase|tags|no-tags))$/,
    first: remote,
    operands: refs,
  },
  'git fetch': {
    options: /^(?:-[qvt]+|--(?:quiet|verbose|all|tags|no-tags|depth=\d+))$/,
    first: remote,
    operands: /^\w[\w./-]*$/,
  },
  'git ls-remote': { first: remote },
  'git remote show': { operands: remote },
  'git remote add': { options: none },
  'git add': { options: /^(?:-[Auv]+|--(?:all|update|verbose|intent-to-add)|--)$/ },
  'git commit': {
    options:
      /^(?:-[aqvs]*(?:[mF].*)?|--(?:all|message|file|quiet|verbose|signoff|allow-empty)(?:=.*)?)$/s,
  },
  'git merge': { options: /^--(?:no-ff|ff-only|ff|no-edit|stat)$/ },
  'git switch': { options: /^(?:-[cqt]+|-|--(?:create|track|guess|no-guess|quiet))$/ },
  'git checkout': { options: none },
  'git restore': { options: none },
  'git branch': { options: listed },
  'git tag': { options: listed },
  'git config': { ...secrets, options: none, operands: /^[\w.-]+$/ },
  'npm config': secrets,
  'yarn config': secrets,
  'pip config': secrets,
  'gcloud config': secrets,
  gcloud: { deny: /^--(?:flags-file|access-token|account|configuration)/ },
  aws: { deny: /^--(?:cli-|ca-bundle)/ },
  'git cat-file': { deny: /^--(?:f|t)/ },
  ...Object.fromEntries(runInterpreters),
  npm: scripts,
  'npm run': scriptWords,
  'npm run-script': scriptWords,
  'npm test': scriptWords,
  'npm t': scriptWords,
  'npm start': scriptWords,
  'npm audit': { operands: none },
  pnpm: scripts,
  'pnpm run': scriptWords,
  'pnpm test': scriptWords,
  'pnpm start': scriptWords,
  'pnpm audit': { operands: none },
  yarn: scripts,
  'yarn run': scriptWords,
  'yarn test': scriptWords,
  'yarn start': scriptWords,
  bun: scripts,
  'bun run': scriptWords,
  'turbo run': { options: /^--(?:filter=.*|parallel|no-daemon)$/, operands: none },
  'lerna run': { options: /^--(?:scope=.*|parallel|stream)$/, operands: none },
  make: { options: /^(?:-[jkBsSw]+\d*|--(?:keep-going|silent|jobs=\d+))$/, operands: /^\d+$/ },
  gmake: { options: /^(?:-[jkBsSw]+\d*|--(?:keep-going|silent|jobs=\d+))$/, operands: /^\d+$/ },
  mvn: quietly,
  gradle: quietly,
  'docker build': {
    deny: /^-o|:\/\/|^git@|^github\.|^--(?:secret|ssh|network|allow|build-context|cache-to|add-host|security|iidfile|metadata-file)/,
  },
  'docker compose up': {
    options:
      /^(?:-d|--(?:detach|build|wait|no-deps|quiet-pull|no-color|no-recreate|abort-on-container-exit))$/,
    operands: /^[\w.-]+$/,
  },
  'docker-compose up': {
    options: /^(?:-d|--(?:detach|build|no-deps|no-color|no-recreate))$/,
    operands: /^[\w.-]+$/,
  },
  'podman compose up': { options: /^(?:-d|--(?:detach|build|no-deps))$/, operands: /^[\w.-]+$/ },
  'docker compose config': { deny: /^-o|^--lock/ },
  'docker-compose config': { deny: /^-o|^--lock/ },
  kubectl: {
    deny: /^-s|^--(?:as|raw|user|cluster|context|server|cache)|(?:^|[,/])secrets?(?:$|[,./])/i,
  },
  'kubectl get': files,
  'kubectl describe': files,
  'kubectl rollout': files,
  helm: { deny: /^--(?:kube|set-file|registry)/ },
  terraform: { deny: /^--?(?:out|generate|state|backup|chdir)/ },
  systemctl: { deny: /^-[a-zA-Z]*[HM]|^--(?:root|image|mach)/ },
  loginctl: { deny: /^-[a-zA-Z]*[HM]|^--mach/ },
  timedatectl: { deny: /^-[a-zA-Z]*[HM]|^--mach/ },
  svn: { deny: /^--(?:diff|editor|merge)|\+\w+:|:\/\// },
  jj: { deny: /^--(?:tool|at-op)/ },
  poetry: { deny: /^-P|^--project/ },
  composer: { deny: /^-d/ },
  gem: { deny: /^-s/ },
  apk: { deny: /^-X/ },
  brew: { deny: /^--(?:fetch|graph|github)/, operands: /^[\w@.+-]+$/ },
  istioctl: { deny: /^-c/ },
  fly: { deny: /^-c/ },
  flyctl: { deny: /^-c/ },
  next: { deny: /^-c/ },
  'terraform show': { deny: /^--?json/ },
  'docker compose build': { deny: /^--(?:ssh|secret|provenance|sbom)/ },
  'bun test': tests,
  mix: { deny: /^-r|^--(?:formatter|export)/ },
  pip: { deny: /^--(?:python|log|proxy|cert)|^-i|:\/\// },
  pip3: { deny: /^--(?:python|log|proxy|cert)|^-i|:\/\// },
  'uv pip': { deny: /^--(?:python|index|default-index|extra)|^-[ip]|:\/\// },
  cargo: { deny: /^-Z|^\+|^--(?:target-dir|artifact|manifest|broken)|\.json$/ },
  go: { deny: /^--?(?:o|c|mod|pkgdir|trace|outputdir|\w*profile|http|args)(?:$|=)/ },
  'go env': { options: /^-(?:json|changed)$/ },
  gofmt: formatters,
  goimports: formatters,
  shfmt: formatters,
  rustfmt: formatters,
  prettier: formatters,
  dotnet: {
    deny: /^(?:[-/](?:o|p|s|l|r|t|a|e|d)(?:$|[:=])|[-/]{1,2}(?:bl|binarylogger|pp|preprocess|fl\w*|filelogger\w*|profileevaluation|gettargetresult)(?:$|:)|[-/]{1,2}(?:target|property|d?l|(?:distributed)?logger):|--(?:property|logger|results|settings|artifacts))/i,
  },
  ruff: { deny: /^-o|^--(?:add-noqa|statistics-file)/ },
  'golangci-lint': { deny: /^-c|^--new-from-patch|^--.*(?:-path|out-format|output)/ },
  phpstan: { deny: /^-[abc]|^--(?:gen|auto|conf)/ },
  dnf: { deny: /^-c|^--(?:setopt|installroot|enableplugin)/ },
  yum: { deny: /^-c|^--(?:setopt|installroot|enableplugin)/ },
  dpkg: { options: none },
  rpm: { options: none },
  pacman: { options: none },
  gh: { deny: /^-[a-zA-Z]*[wt]|^--(?:watch-command|template)|\$ENV|\benv\b/ },
  'gh auth': { options: none },
  glab: { deny: /^-[a-zA-Z]*w/ },
  doctl: { deny: /^-[tcu]|^--(?:access|api)/ },
  vercel: { deny: /^-[tQAS]|^--(?:scope|local-config)/ },
  cdk: { deny: /^-[aoprv]|^--(?:app|role|build|change-set)/ },
  kustomize: { deny: /^-[oe]/, operands: /^(?:\.{1,2}|(?:\.{1,2}\/)?[\w-]+(?:\/[\w-]+)*\/?)$/ },
  'minikube logs': { deny: /^--file/ },
  'nix flake': {
    deny: /:|^--(?:option|extra|builders|impure|store|allow)/,
    operands: /^\.(?:#.*)?$/,
  },
  vault: { deny: /^--?(?:address|agent|ca|client|tls|namespace|output)/ },
  consul: { deny: /^--?(?:http|ca|client|tls)/ },
  nomad: { deny: /^--?(?:address|ca|client|tls)/ },
  'conda search': { deny: /^-c|^--(?:channel|override)/ },
  lsof: { deny: /^-[a-zA-Z]*[Dm]/ },
  date: { deny: /^\d/ },
  yq: { deny: /^-[a-zA-Z]*[si]|^--split/ },
  mypy: { deny: /^@|^--(?:junit|\w+-report|cache|shadow|custom|python-exec)/ },
  pylint: { deny: /^-f|^--(?:rc|gen|init|load|out)/ },
  pyright: { deny: /^--(?:createstub|python)/ },
  tsc: {
    deny: /^--?(?:b|build|w|watch|outFile|outDir|declarationDir|rootDir|tsBuildInfoFile|generateTrace|generateCpuProfile|init|mapRoot)$|^-b|^@|^false$/i,
  },
  eslint: { deny: /^-[cf]|^--(?:rulesdir|resolve|format|parser|cache|init|stdin-filename)/ },
  stylelint: { deny: /^-[of]|^--(?:custom|formatter|report|cache)/ },
  oxlint: { deny: /^-[cf]|^--(?:format|tsconfig)/ },
  markdownlint: { deny: /^-[focr]|^--rules/ },
  rubocop: { deny: /^-[a-zA-Z]*[aAxorcfF]|^--(?:auto|safe|cache|format|regenerate|display-only)/ },
  jest: tests,
  vitest: { deny: new RegExp(`${tests.deny?.source}|^--workspace`, 'i') },
  pytest: {
    deny: new RegExp(
      `${tests.deny?.source}|^@|^-[a-z]*p|^-W|^--(?:pdb|trace|debug|benchmark|json|md-|d[sc](?:=|$)|nb|create)`,
      'i',
    ),
  },
  mocha: tests,
  ava: tests,
  rspec: tests,
  phpunit: {
    deny: new RegExp(`${tests.deny?.source}|^--(?:coverage|log|generate|configuration)`, 'i'),
  },
  playwright: tests,
  cypress: { deny: new RegExp(`${tests.deny?.source}|^-[Pb]|^--project`, 'i') },
  meson: tests,
  ng: tests,
  nx: tests,
  flutter: tests,
  dart: tests,
  'rails test': { deny: /^-e|^--env/ },
  cabal: { deny: /^-w|^--(?:with|ghc|copy|builddir|prefix|install|test-show)/ },
  stack: { deny: /^--(?:with|ghc|copy|work-dir|docker|nix|local-bin)/ },
  dune: { deny: /promot|^@|^-p|^--(?:root|workspace)/ },
}

/** Option names that change a command's action for any program; abbreviations count too. */
const deciding =
  'force delete remove prune purge destroy drop wipe erase clean clear reset hard kill discard overwrite clobber replace mirror ' +
  'amend no-verify no-check-certificate insecure yes assume auto-approve approve noconfirm write fix unsafe in-place inplace ' +
  'autocorrect auto-correct output outfile outdir out-file out-dir save upload push publish deploy apply install uninstall ' +
  'update upgrade migrate edit open web exec execute eval command cmd shell script plugin config require import load ' +
  'registry server host endpoint token auth-token password profile impersonate global privileged volumes rmi now method ' +
  'request data post body init show-token show-secrets with-decryption'

/** Options that make a command only show what it would do: approving that does not approve doing it. */
const dryRunOptions =
  'dry-run dryrun simulate what-if whatif pretend just-print recon preview help version usage list collect no-run show-config'

const decidingNames = deciding.split(' ')
const rehearsingNames = dryRunOptions.split(' ')

/** Programs whose `--output` selects an output format. */
const printsBy: ReadonlySet<string> = new Set(
  'kubectl aws az gh helm gcloud doctl argocd eksctl istioctl minikube linkerd fly flyctl heroku'.split(
    ' ',
  ),
)

/** Complete option names that are not abbreviations of one that changes the action. */
const complete: ReadonlySet<string> = new Set(['glob', 'show'])

/** Whether a word is an option that changes a command's action. */
export function isDeciding(program: string, word: string, changes: boolean): boolean {
  const [, dashes = '', name = ''] = /^(--?)([A-Za-z][\w-]*)/.exec(word) ?? []
  if (name === '' || complete.has(name)) return false
  if (changes && /^-(?:h|V|n)$/.test(word)) return true
  if (printsBy.has(program) && name === 'output') return false
  const names = changes ? [...decidingNames, ...rehearsingNames] : decidingNames
  if (names.some((one) => begins(name, one))) return dashes === '--' || name.length > 2
  return dashes === '--' && names.some((one) => one.startsWith(name))
}

/** `force-with-lease`, `forceExit`; but `installed` does not match `install`. */
function begins(name: string, one: string): boolean {
  if (!name.toLowerCase().startsWith(one)) return false
  return name.length === one.length || /[-_A-Z]/.test(name[one.length] ?? '')
}
