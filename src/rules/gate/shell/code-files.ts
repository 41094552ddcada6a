/** Where a program takes what it runs from, beside the script that an interpreter is given. */
interface CodeFiles {
  /** Options whose value is such a file, attached too: `-fx`, `-f=x`, `--file=x`. */
  readonly options?: readonly string[]
  /** Read where no such option is given; relative to where it runs. */
  readonly defaults?: readonly string[]
  /** Options that name the directory in which it runs. */
  readonly directory?: readonly string[]
  /** Which operands are such files. */
  readonly operands?: RegExp
  /** What one of its words must be for it to run any of that. */
  readonly when?: RegExp
  /** Whether it runs further files of the workspace, which no text names. */
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

const table: Readonly<Record<string, CodeFiles>> = {
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
  'docker podman nerdctl buildah': { ...image, when: /^(?:build|buildx|compose|bud|bake)$/ },
  'docker-compose podman-compose': image,
  'awk gawk mawk nawk': awk,
  'sed gsed': { options: ['-f', '--file'] },
  'xargs parallel': { options: ['-a', '--arg-file'] },
  'psql mysql mariadb sqlite3 sqlite duckdb': sql,
  'kubectl oc helm': manifest,
  'vim vi nvim view ex emacs': editor,
  'gdb lldb cgdb': debugging,
  jq: { options: ['-f', '--from-file'] },
  'expect at batch dc openssl mutt': { options: ['-f'] },
  'bc dc m4 gnuplot crontab tclsh wish expect octave ed osascript': { operands: any },
  curl: { options: ['-K', '--config'] },
  ssh: { options: ['-F'] },
  'ansible-playbook ansible': {
    operands: /\.ya?ml$/,
    options: ['-i', '--inventory'],
    runsMore: true,
  },
  'pip pip3 uv': { options: ['-r', '--requirement', '-c', '--constraint'], runsMore: false },
  'go gcc g++ cc c++ clang rustc javac java kotlinc scala dotnet-script ghc runghc crystal nim zig swift':
    { operands: /\.(?:go|c|cc|cpp|cxx|rs|java|jar|kts?|scala|csx|l?hs|cr|nim|zig|swift)$/ },
  'tsx ts-node deno zx': { operands: /\.[cm]?[jt]sx?$/ },
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
  'cmake meson bazel buck2 dotnet mix rebar3 sbt lein stack cabal dune nx turbo lerna': more,
  'jest vitest mocha ava eslint prettier webpack vite rollup parcel esbuild gulp grunt playwright cypress tap':
    more,
  'terraform tofu pulumi packer vagrant nomad pre-commit lefthook husky hardhat forge rspec bundle composer phpunit artisan':
    more,
}

const known: ReadonlyMap<string, readonly CodeFiles[]> = toMap()

function toMap(): ReadonlyMap<string, readonly CodeFiles[]> {
  const map = new Map<string, CodeFiles[]>()
  for (const [names, files] of Object.entries(table)) {
    for (const name of names.split(' ')) map.set(name, [...(map.get(name) ?? []), files])
  }
  return map
}

/** What a command runs from files, by its program's table: their names, and whether it may run more than these. */
export interface NamedCode {
  readonly files: readonly string[]
  readonly runsMore: boolean
}

/** Of one program's files; with directories that they may lie in they multiply. */
const maxFiles = 128
const maxDirectories = 4

export function codeFilesOf(program: string, rest: readonly string[]): NamedCode {
  const rows = (known.get(program) ?? []).filter(
    ({ when }) => when === undefined || rest.some((word) => when.test(word)),
  )
  const found = rows.map((row) => filesOf(row, rest))
  return {
    files: found.flatMap(({ files }) => files),
    runsMore: found.some(({ runsMore }) => runsMore),
  }
}

function filesOf(row: CodeFiles, rest: readonly string[]): NamedCode {
  const named = valuesOf(row.options ?? [], rest)
  const operands = rest.filter((word) => !word.startsWith('-') && row.operands?.test(word) === true)
  const directories = valuesOf(row.directory ?? [], rest)
  const own = [...(named.length > 0 ? named : (row.defaults ?? [])), ...operands].slice(0, maxFiles)
  const places = directories.slice(0, maxDirectories).map((at) => `${at}/`)
  const isCut = named.length + operands.length > maxFiles || directories.length > maxDirectories
  return {
    files: ['', ...places].flatMap((place) => own.map((file) => `${place}${file}`)),
    runsMore: row.runsMore === true || isCut,
  }
}

/** The values of some options, in a word of their own or attached. */
function valuesOf(options: readonly string[], rest: readonly string[]): readonly string[] {
  const values = rest.flatMap((word, at) => {
    if (!word.startsWith('-')) return []
    return options.flatMap((option) => {
      const value = attachedTo(option, word)
      return value === '' ? (rest[at + 1] ?? []) : (value ?? [])
    })
  })
  return [...new Set(values)]
}

/** What a word holds of an option's value, also behind a cluster (`-qf x`); undefined: it is another option. */
function attachedTo(option: string, word: string): string | undefined {
  if (word === option) return ''
  if (word.startsWith(`${option}=`)) return word.slice(option.length + 1)
  if (word.startsWith('--') || option.length !== 2) return undefined
  const at = word.indexOf(option.charAt(1), 1)
  return at > 0 && at <= 7 && /^[A-Za-z]*$/.test(word.slice(1, at)) ? word.slice(at + 1) : undefined
}
