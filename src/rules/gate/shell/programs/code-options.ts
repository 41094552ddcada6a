import { buildOptions } from '../build-options.ts'
import { type CodeOption, configFile, formats, option } from '../code-option.ts'
import { isNamed, optionValue } from './option-names.ts'

const iniFile =
  /^(?:\.\/)?(?:[\w-]+\/)*(?:pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|ruff\.toml|alembic\.ini)$/
const bareName = /^[a-z][a-z0-9-]*$/
const version = /^(?:(?:c?python|pypy)[@\d.]*|[\d.]+)$/

const config = option('-c --config', configFile)
const ini = option('-c --config-file', iniFile)
const longIni = option('--config --config-file --rcfile --settings-file --settings-path', iniFile)

const eslintFormats = formats(
  'stylish|json|html|json-with-metadata|compact|unix|checkstyle|junit|tap|visualstudio|jslint-xml|codeframe|table',
)
const coverageFormats = formats(
  'clover|cobertura|html|html-spa|json|json-summary|lcov|lcovonly|none|teamcity|text|text-lcov|text-summary',
)
const jest = [
  option(
    '--globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --runner --testRunner --transform --resolver --preset ' +
      '--testSequencer --snapshotSerializers --prettierPath --watchPlugins --dependencyExtractor --testResultsProcessor ' +
      '--moduleNameMapper --modulePaths --filter --haste',
  ),
  option('--coverageReporters', coverageFormats),
  option('--reporters', formats('default|summary|github-actions')),
  option('--env --testEnvironment', formats('node|jsdom')),
  config,
]
const vitest = [
  option(
    '--runner --execArgv --globalSetup --setupFiles --diff --snapshotEnvironment --coverage.customProviderModule',
  ),
  option('--browser.provider', formats('playwright|webdriverio|preview')),
  option('--environment', formats('node|jsdom|happy-dom|edge-runtime')),
  option('--pool', formats('threads|forks|vmThreads|vmForks')),
  option(
    '--reporter',
    formats(
      'default|verbose|dot|json|junit|tap|tap-flat|html|basic|blob|tree|hanging-process|github-actions',
    ),
  ),
  option('--coverage.reporter', coverageFormats),
  option('--coverage.provider', formats('v8|istanbul')),
  config,
]
const mocha = [
  option(
    '-r --require --file --import --loader --experimental-loader --package --opts -n --node-option --compilers',
  ),
  option(
    '-R --reporter',
    formats('spec|dot|nyan|tap|landing|list|progress|json|json-stream|min|doc|markdown|xunit|html'),
  ),
  option('-u --ui', formats('bdd|tdd|qunit|exports')),
  config,
]
const gradle = [
  option(
    '-I --init-script -b --build-file -c --settings-file -g --gradle-user-home --include-build',
  ),
]
const maven = [
  option(
    '-s --settings -gs --global-settings -t --toolchains -gt --global-toolchains -b --builder',
  ),
]
const rake = [
  option(
    '-e --execute -E --execute-continue -p --execute-print -r --require -I --libdir -R --rakelibdir -g --system',
  ),
  option('-f --rakefile', /^Rakefile$/),
]
const cucumber = [option('-r --require --require-module -i --import --loader -c --config')]

/** SHELL-11: by program; `=` may stand between name and value, and a short name may end a cluster. */
const codeOptions: Readonly<Record<string, readonly CodeOption[]>> = {
  eslint: [
    option('-f --format', eslintFormats),
    option('--parser --plugin --rulesdir --resolve-plugins-relative-to --inspect-config'),
    config,
  ],
  prettier: [
    option('--plugin --plugin-search-dir'),
    option('--parser', bareName),
    option('--config', configFile),
  ],
  stylelint: [
    option('--custom-syntax --custom-formatter --config-basedir --plugin'),
    option('-f --formatter', formats('compact|github|json|string|tap|unix|verbose')),
    config,
  ],
  jest,
  vitest,
  mocha,
  ava: [option('--node-arguments --config')],
  jasmine: [option('--helper --require --reporter --config')],
  tap: [option('--require --import --loader --node-arg --plugin --before --after --reporter')],
  cucumber,
  'cucumber-js': cucumber,
  webpack: [
    option(
      '--require -r --merge --module-rules-loader --module-rules-use --resolve-loader-modules',
    ),
    config,
  ],
  rollup: [
    option(
      '-p --plugin --configPlugin --watch.onStart --watch.onBundleStart --watch.onBundleEnd --watch.onEnd --watch.onError',
    ),
    // Without a value the usual file is loaded.
    option('-c --config', new RegExp(`^(?:-.*)?$|${configFile.source}`)),
  ],
  vite: [config],
  babel: [option('--plugins --presets --config-file --require -r')],
  swc: [option('-C --config --config-file')],
  postcss: [option('-u --use --parser --stringifier --syntax --config')],
  tailwindcss: [option('--postcss'), config],
  tsup: [option('--plugin'), config],
  playwright: [config],
  cypress: [
    option('-C --config-file', configFile),
    option('-b --browser', formats('chrome|chromium|edge|electron|firefox')),
  ],
  'lint-staged': [config],
  commitlint: [
    option('-x --extends -p --parser-preset -o --format'),
    option('-g --config', configFile),
  ],
  'semantic-release': [option('-e --extends -p --plugins')],
  'graphql-codegen': [option('-r --require')],
  gulp: [option('-r --require --preload'), option('-f --gulpfile', /^gulpfile\.[cm]?js$/)],
  grunt: [option('--tasks --npm --base'), option('--gruntfile', /^Gruntfile\.js$/i)],
  knex: [option('--esm-loader --client'), option('--knexfile', /^knexfile\.[jt]s$/)],
  pm2: [option('--interpreter --node-args --interpreter-args')],
  npm: [
    option(
      '--git --shell --editor --viewer --browser --init-module --onload-script --python --node-gyp',
    ),
  ],
  yarn: [option('--use-yarnrc --script-shell')],
  pnpm: [option('--pnpmfile --global-pnpmfile --config.script-shell --config.node-options')],
  bun: [option('-c --config --require --import')],
  deno: [option('--preload --import-map --require --import')],
  pytest: [
    option('-p', /^no:[\w-]+$/),
    option('--pdbcls --tx --px --rsyncdir --pyargs --ignore-config'),
    option(
      '-o --override-ini',
      /^(?:log_cli|log_cli_level|log_level|junit_family|xfail_strict|asyncio_mode|console_output_style)=\w*$/,
    ),
    ini,
  ],
  pylint: [option('--load-plugins --init-hook'), longIni],
  flake8: [option('--append-config --require-plugins'), longIni],
  mypy: [longIni],
  isort: [longIni],
  coverage: [longIni],
  alembic: [ini],
  ruff: [option('--config', /^(?:[\w./-]*(?:pyproject|ruff)\.toml|[\w.-]+ ?= ?[\w"'[\], -]+)$/)],
  black: [option('--config', iniFile)],
  tox: [option('-x --override --workdir'), ini],
  nox: [option('-f --noxfile', /^noxfile\.py$/)],
  invoke: [option('-c --collection -r --search-root -f --config')],
  fab: [option('-c --collection -r --search-root -f --config')],
  gunicorn: [
    option('--pythonpath --paste --logger-class'),
    option(
      '-k --worker-class',
      formats('sync|gthread|gevent|eventlet|tornado|uvicorn\\.workers\\.UvicornWorker'),
    ),
    option('-c --config', /^(?:\w+\/)*gunicorn(?:\.conf|_config|\.config)?\.py$/),
  ],
  uvicorn: [option('--app-dir --log-config')],
  celery: [option('--workdir --config -I --include')],
  'django-admin': [option('--pythonpath')],
  pip: [
    option(
      '--python --global-option --install-option --build-option --config-settings --config-setting -C',
    ),
  ],
  pipx: [option('--python', version), option('--pip-args')],
  uv: [option('-p --python', version), option('--config-file --config-setting -C')],
  'pre-commit': [option('-c --config')],
  'ansible-playbook': [
    option(
      '-M --module-path --playbook-dir --vault-password-file --become-password-file --connection-password-file -c --connection',
    ),
    option('--ssh-common-args --ssh-extra-args --sftp-extra-args --scp-extra-args'),
  ],
  rake,
  rspec: [
    option('-I -O --options'),
    option('-r --require', formats('spec_helper|rails_helper')),
    option('-f --format', formats('p|progress|d|doc|documentation|j|json|h|html|f|failures')),
  ],
  rubocop: [
    option('-r --require --plugin -c --config'),
    option(
      '-f --format',
      formats(
        'simple|progress|clang|fuubar|emacs|json|github|html|files|offenses|worst|tap|quiet|[spceqjhfgowtm]',
      ),
    ),
  ],
  rackup: [option('-e --eval --builder -r --require -I --include')],
  puma: [option('-C --config', /^config\/puma\.rb$/), option('-e --eval')],
  erb: [option('-r -E -S')],
  thor: [option('-r')],
  rails: [option('-m --template --rc')],
  bundle: [option('--gemfile')],
  gem: [option('--config-file')],
  gradle,
  gradlew: gradle,
  mvn: maven,
  mvnw: maven,
  ant: [option('-lib -main -logger -listener -inputhandler -propertyfile -f -file -buildfile')],
  javadoc: [option('-doclet -docletpath -taglet -tagletpath --doclet-path --taglet-path')],
  keytool: [option('-providerclass -providerpath -provider')],
  ktlint: [option('-R --ruleset --reporter')],
  protoc: [option('--plugin --descriptor_set_in')],
  'golangci-lint': [option('-c --config', /^\.?golangci\.ya?ml$/)],
  air: [option('-c --build.cmd --build.bin --build.full_bin --build.pre_cmd --build.post_cmd')],
  gotestsum: [option('--post-run-command --raw-command --rerun-fails-run-root-test')],
  just: [
    option(
      '-c --command --shell --shell-arg --shell-command --chooser --choose --set -e --edit --dotenv-path -E',
    ),
    option('-f --justfile', /^[Jj]ustfile$/),
  ],
  task: [option('-g --global'), option('-t --taskfile', /^Taskfile\.ya?ml$/)],
  bazel: [
    option(
      '--bazelrc --run_under --shell_executable --workspace_status_command --override_repository --host_jvm_args',
    ),
  ],
  meson: [option('--cross-file --native-file --wrap --wrapper --ninja-args')],
  cabal: [option('-w --with-compiler --with-hc-pkg --ghc-options --with-gcc')],
  stack: [option('--with-gcc --with-hpack --ghc-options --stack-yaml')],
  svn: [option('--editor-cmd --diff-cmd --diff3-cmd --config-option --config-dir')],
  hg: [option('--config --config-file -R --repository --rev-program')],
  jj: [option('--config --config-file --config-toml --tool')],
  dotnet: [option('--test-adapter-path --settings --diag --distributedlogger -distributedLogger')],
  phpunit: [option('--bootstrap --printer --extension --loader -d --include-path --prepend')],
  pest: [option('--bootstrap --printer --extension -d')],
  phpstan: [
    option('-a --autoload-file --debug'),
    option('-c --configuration', /^phpstan(?:\.dist)?\.neon(?:\.dist)?$/),
  ],
  phpcs: [
    option('--bootstrap --runtime-set'),
    option('--standard', /^(?:PSR\d+|PEAR|Squiz|Zend|Generic)$/),
  ],
  psalm: [option('--plugin -c --config --bootstrap')],
  luacheck: [option('--formatter --config')],
  terragrunt: [option('--terragrunt-tfpath --tf-path')],
}

/** The first word that makes a program load or run code of the caller's choice. */
export function codeOption(program: string, words: readonly string[]): string | undefined {
  const options = [codeOptions, buildOptions].flatMap((table) =>
    Object.hasOwn(table, program) ? (table[program] ?? []) : [],
  )
  if (options.length === 0) return undefined
  return words.slice(1).find((word, at, rest) => {
    // A name of its own, and no beginning of `--rulesdir`.
    if (program === 'eslint' && /^--rule(?:=|$)/.test(word)) return false
    const isWhole = options.some(({ names }) => names.some((name) => isNamed(name, word)))
    return options.some((one) => isRisky(one, word, rest[at + 1] ?? '', isWhole))
  })
}

function isRisky(
  { names, safe }: CodeOption,
  word: string,
  next: string,
  isWhole: boolean,
): boolean {
  return names.some((name) => {
    const value = optionValue(name, word, next, isWhole)
    return value !== undefined && safe?.test(value) !== true
  })
}
