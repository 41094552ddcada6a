/** The ways in which a program takes code from files, apart from an interpreter's script. */
export interface CodeFiles {
  /** Options whose value is such a file, also attached: `-fx`, `-f=x`, `--file=x`. */
  readonly options?: readonly string[]
  /** Read if no such option is given; relative to the working directory. */
  readonly defaults?: readonly string[]
  /** Options that set the working directory. */
  readonly directory?: readonly string[]
  /** The operands that are such files. */
  readonly operands?: RegExp
  /** Its first operand is such a file, as for an interpreter, and so is any other operand with a script's name. */
  readonly isRunner?: true
  /** Such a file inside a word, in the first group that matches: `-javaagent:x.jar`. */
  readonly attached?: RegExp
  /** Options whose value is a Python module; empty: operands such as `app.main:app`. */
  readonly modules?: readonly string[]
  /** A word that must be present for it to run any of that; operands count after it. */
  readonly when?: RegExp
  /** Runs further workspace files that the text does not name. */
  readonly runsMore?: boolean
}

const any = /./
const make: CodeFiles = {
  options: ['-f', '--file', '--makefile'],
  defaults: ['GNUmakefile', 'makefile', 'Makefile'],
  directory: ['-C', '--directory'],
  runsMore: true,
}
const scripts: CodeFiles = {
  defaults: ['package.json'],
  directory: ['-C', '--dir', '--prefix', '--cwd'],
  runsMore: true,
}
const image: CodeFiles = {
  options: ['-f', '--file', '--env-file'],
  defaults: [
    'Dockerfile',
    'Containerfile',
    'compose.yaml',
    'compose.yml',
    'docker-compose.yml',
    'docker-compose.yaml',
  ],
}
const awk: CodeFiles = { options: ['-f', '--file', '-i', '--include', '-E', '--exec'] }
const sql: CodeFiles = {
  options: ['-f', '--file', '-init', '--init-file', '--init', '--defaults-file'],
}
const manifest: CodeFiles = { options: ['-f', '--filename', '-k', '--kustomize', '--values'] }
const editor: CodeFiles = { options: ['-S', '-s', '-u', '--source'] }
const debugging: CodeFiles = { options: ['-x', '--command', '-ix', '-s', '--source'] }
const more: CodeFiles = { runsMore: true }
const project = (...defaults: string[]): CodeFiles => ({ defaults, runsMore: true })
const runner: CodeFiles = { isRunner: true }
/** A Python server or worker that imports a named module. */
const server: CodeFiles = {
  modules: [],
  directory: ['--app-dir', '--chdir'],
  runsMore: true,
}

/** APPR-24: by program; names separated by blanks. */
export const codeFileTable: Readonly<Record<string, CodeFiles>> = {
  'make gmake bmake': make,
  just: {
    options: ['-f', '--justfile'],
    defaults: ['justfile', '.justfile', 'Justfile'],
    directory: ['-d', '--working-directory'],
    runsMore: true,
  },
  task: {
    options: ['-t', '--taskfile'],
    defaults: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'],
    directory: ['-d', '--dir'],
    runsMore: true,
  },
  ninja: { options: ['-f'], defaults: ['build.ninja'], directory: ['-C'], runsMore: true },
  'rake drake': {
    options: ['-f', '--rakefile'],
    defaults: ['rakefile', 'Rakefile', 'rakefile.rb', 'Rakefile.rb'],
    runsMore: true,
  },
  npm: {
    ...scripts,
    when: /^(?:run|run-script|rum|urn|test|tst|t|it|start|stop|restart|i|in|install|add|ci|cit|clean-install|install-test|exec|x|publish|pack|rebuild|rb|link|ln|update|up|upgrade|version|prune|dedupe|ddp|uninstall|rm|un)$/,
  },
  'pnpm yarn bun npx pnpx bunx': scripts,
  'docker podman nerdctl buildah': {
    ...image,
    when: /^(?:build|buildx|compose|bud|bake)$/,
    runsMore: true,
  },
  'docker-compose podman-compose': { ...image, runsMore: true },
  'podman nomad': { operands: /\.(?:ya?ml|nomad|hcl|json)$/, when: /^(?:play|run)$/ },
  'awk gawk mawk nawk': awk,
  'sed gsed': { options: ['-f', '--file'] },
  'xargs parallel': { options: ['-a', '--arg-file'] },
  'psql mysql mariadb sqlite3 sqlite duckdb': {
    ...sql,
    attached:
      /(?:^|[\n;])\s{0,8}(?:\.read|\\ir?|\\include(?:_relative)?|source|\\\.)\s{1,8}['"]?([^\s'";]+)/i,
  },
  'kubectl oc helm': manifest,
  'vim vi nvim view ex emacs': editor,
  'gdb lldb cgdb': debugging,
  jq: { options: ['-f', '--from-file'] },
  'expect at batch dc openssl mutt': { options: ['-f'] },
  'bc dc m4 gnuplot crontab tclsh wish expect octave ed osascript': { operands: any },
  curl: { options: ['-K', '--config'] },
  ssh: { options: ['-F'] },
  'ansible-playbook ansible': {
    operands: /^[^:,]+$/,
    options: ['-i', '--inventory'],
    runsMore: true,
  },
  'pip pip3 uv': { options: ['-r', '--requirement', '-c', '--constraint'], runsMore: false },
  'go gcc g++ cc c++ clang rustc javac java kotlinc scala dotnet-script ghc runghc crystal nim zig swift dart mix':
    {
      operands: /\.(?:go|c|cc|cpp|cxx|rs|java|jar|kts?|scala|csx|l?hs|cr|nim|zig|swift|dart|exs)$/,
    },
  'deno bun': {
    isRunner: true,
    when: /^(?:run|test|bench|serve|task|compile|x|[\w./-]+\.[cm]?[jt]sx?)$/,
  },
  cargo: project('Cargo.toml', 'build.rs', '.cargo/config.toml'),
  'gradle gradlew': project(
    'build.gradle',
    'build.gradle.kts',
    'settings.gradle',
    'settings.gradle.kts',
  ),
  'mvn mvnw': project('pom.xml'),
  'tox nox': project('tox.ini', 'noxfile.py'),
  'pytest py.test': project('conftest.py', 'pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini'),
  scons: project('SConstruct'),
  'tsx ts-node ts-node-dev ts-node-esm zx esno jiti vite-node node-dev nodemon pm2-runtime electron nw':
    runner,
  'ts-node-script ts-node-cwd ts-node-transpile-only tsimp tsm esr esbuild-runner sucrase-node swc-node coffee lsc civet':
    runner,
  'pm2 forever': { ...runner, when: /^(?:start|restart|reload)$/, runsMore: true },
  'robot behave bats locust jbang scala-cli nu xonsh elvish pike rexx': runner,
  'torchrun deepspeed kernprof scalene viztracer manim bpython pdb ipdb pudb spark-submit pyspark papermill pyinstaller nuitka':
    runner,
  'k6 artillery newman gauge streamlit memray mprof coverage accelerate snakemake nextflow dart v py-spy':
    {
      ...runner,
      when: /^(?:run|launch|record|-s|--snakefile)$/,
      runsMore: true,
    },
  'wine wine64 mono': runner,
  'pwsh powershell': { options: ['-File', '-f'], operands: /\.ps1$/i },
  'git hub': { operands: any, when: /^(?:apply|am)$/ },
  patch: { operands: any, options: ['-i', '--input'] },
  'java javac jdb': { attached: /^-(?:javaagent|agentpath):([^=]+)/ },
  java: { when: /^-(?:cp|classpath|p|m|-class-path|-module-path|-module)/, runsMore: true },
  'dotnet mono': { operands: /\.(?:dll|exe|csx|fsx|csproj|fsproj|sln)$/i },
  'terraform tofu pulumi': {
    operands: any,
    options: ['-var-file', '--var-file'],
    when: /^-{0,2}apply$/,
  },
  helm: { when: /^(?:install|upgrade|template|lint|package|dep|dependency)$/, runsMore: true },
  'kubectl oc': { when: /^(?:-k|--kustomize)|\/$/, runsMore: true },
  node: { when: /^--test/, runsMore: true },
  'go swift': { when: /^(?:run|test|generate|tool)$/, runsMore: true },
  gunicorn: { ...server, options: ['-c', '--config'], defaults: ['gunicorn.conf.py'] },
  'uvicorn hypercorn granian daphne waitress-serve': server,
  celery: {
    modules: ['-A', '--app'],
    options: ['--config'],
    defaults: ['celeryconfig.py'],
    runsMore: true,
  },
  flask: { modules: ['-A', '--app'], defaults: ['app.py', 'wsgi.py'], runsMore: true },
  'supervisord circusd': { options: ['-c'], runsMore: true },
  'uv poetry pipenv pdm hatch rye pixi conda': { when: /^run$/, runsMore: true },
  ant: { options: ['-f', '-file', '-buildfile'], defaults: ['build.xml'], runsMore: true },
  'puppet salt-call chef-client chef-solo': { operands: /\.(?:pp|rb|sls)$/, runsMore: true },
  'foreman honcho overmind goreman': {
    options: ['-f', '--procfile'],
    defaults: ['Procfile'],
    runsMore: true,
  },
  'invoke inv fab': project('tasks.py', 'fabfile.py'),
  deno: project('deno.json', 'deno.jsonc'),
  scrapy: project('scrapy.cfg'),
  snakemake: project('Snakefile', 'workflow/Snakefile'),
  'electron nw': project('package.json'),
  flutter: { when: /^(?:run|test|drive)$/, runsMore: true },
  'npm-run-all run-s run-p rush jake lint-staged': project('package.json'),
  'screen lftp': { options: ['-c', '-f'] },
  'lftp sqlcmd cqlsh mongosh mongo': { options: ['-f', '-i', '--file'] },
  'django-admin jupyter sphinx-build mkdocs rails cucumber airflow luigi dbt prefect dagster mill pants ctest waf act earthly tilt':
    more,
  'skaffold cdk cdktf serverless sls sam mage jekyll middleman guard cap storybook hugo quarto behave robot locust bats':
    more,
  'cmake meson bazel buck2 dotnet mix rebar3 sbt lein stack cabal dune nx turbo lerna': more,
  'jest vitest mocha ava eslint prettier webpack vite rollup parcel esbuild gulp grunt playwright cypress tap':
    more,
  'terraform tofu pulumi packer vagrant nomad pre-commit lefthook husky hardhat forge rspec bundle composer phpunit artisan':
    more,
}
