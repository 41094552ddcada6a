import { type CodeOption, configFile, formats, option } from './code-option.ts'

/** The file name in any directory, with one of these extensions: `wrangler.toml`, `k8s/skaffold.dev.yaml`. */
function called(name: string, endings: string): RegExp {
  return new RegExp(`^(?:\\./)?(?:[\\w-]+/)*${name}(?:[.-]\\w+)*\\.(?:${endings})$`)
}

const yaml = 'ya?ml'
/** Compiler flags that load nothing. Each ends at a blank, so that a match is unambiguous. */
const flags = `(?:-(?:${[
  'O[0-3sgz]?|g\\d?|W(?![lap],)[\\w+=-]*|std=[\\w+]+|m[\\w=.+-]+|D\\w+(?:=\\w+)?|pthread|pipe|-coverage',
  'f(?:PIC|PIE|sanitize=[\\w,]+|no-[\\w-]+|diagnostics-color(?:=\\w+)?|visibility=\\w+|exceptions)',
].join('|')})(?=[ "']|$) *)*`
const compilers =
  '(?:/usr/(?:local/)?bin/)?(?:clang|gcc|g\\+\\+|clang\\+\\+|cc|c\\+\\+|nvcc|icx|icpx|gfortran)(?:-\\d+)?'

/** CMake variables that name no code: the built-in ones listed here, and project variables whose names do not suggest code. */
const definition = new RegExp(
  `^(?:${[
    'CMAKE_(?:BUILD_TYPE|CONFIGURATION_TYPES|INSTALL_PREFIX|EXPORT_COMPILE_COMMANDS|(?:C|CXX|CUDA|OBJC)_(?:STANDARD\\w*|EXTENSIONS)|POSITION_INDEPENDENT_CODE|VERBOSE_MAKEFILE|INTERPROCEDURAL_OPTIMIZATION\\w*|UNITY_BUILD|COLOR_\\w+|OSX_(?:ARCHITECTURES|DEPLOYMENT_TARGET)|SYSTEM_(?:NAME|PROCESSOR)|CUDA_ARCHITECTURES|POLICY_\\w+|MSVC_RUNTIME_LIBRARY)(?::\\w+)?=[^$]*',
    `CMAKE_\\w*_FLAGS(?:_[A-Z]+)?(?::\\w+)?=["']?${flags}["']?`,
    `CMAKE_\\w+_COMPILER(?::\\w+)?=${compilers}`,
    'CMAKE_\\w+_COMPILER_LAUNCHER(?::\\w+)?=s?ccache',
    `\\w*EXECUTABLE(?::\\w+)?=/usr/(?:local/)?bin/[\\w.+-]+`,
    '(?!CMAKE_)(?!\\w*(?:COMPILER|LAUNCHER|PROGRAM|TOOL|COMMAND|EMULATOR|LINKER|INJECT|PROJECT_|EXECUTABLE|_(?:DIR|ROOT)(?:_|\\b)|FLAGS|INCLUDE|MODULE))\\w+(?::\\w+)?(?:=[^$]*)?',
  ].join('|')})$`,
  'i',
)
const mesonDefinition = new RegExp(
  `^(?:[\\w.:]{0,80}_args=${flags}|(?![\\w.:-]{0,80}(?:args|path|program|cmd|command|wrap|exe))[\\w.:-]{1,80}(?:=.*)?)$`,
)

const harmlessProperty =
  '(?:Configuration|Platform(?:Target)?|TargetFrameworks?|RuntimeIdentifiers?|(?:Assembly|File|Informational|Package)?Version(?:Prefix|Suffix)?|PublishSingleFile|PublishTrimmed|PublishReadyToRun|PublishAot|SelfContained|Debug(?:Type|Symbols)|Optimize|TreatWarningsAsErrors|WarningLevel|NoWarn|WarnAsError|ContinuousIntegrationBuild|Deterministic|CollectCoverage|CoverletOutputFormat|Threshold|RestoreLockedMode|UseAppHost|Nullable|LangVersion|EnforceCodeStyleInBuild|RunAnalyzers|GeneratePackageOnBuild|IncludeSymbols|SymbolPackageFormat|IsPackable|InvariantGlobalization|UseSharedCompilation|DefineConstants|EnvironmentName)'
const value = '[\\w.+*-]{0,80}(?:(?:[;,]|%3b|%2c)[\\w.+-]{1,40}(?![\\w.+-]{0,40}=))*'
const properties = `["']?${harmlessProperty}=${value}(?:[;,]${harmlessProperty}=${value})*["']?`
/** MSBuild switches with an attached value, in any case. */
export const msbuildProperty = new RegExp(
  `^(?:--?|/)p(?:roperty)?[:=](?!${properties}$)|^(?:--?|/)(?:testadapterpath|tap):`,
  'i',
)
const dotnet = [
  // Attached values are checked as MSBuild switches.
  option('-p --property', new RegExp(`^(?::|roperty[:=]|[^=]*$|${properties}$)`, 'i')),
  option('--configfile --additionalprobingpath --additional-deps --depsfile --runtimeconfig'),
]

const runners = 'wdio karma testcafe nightwatch codeceptjs detox backstop pa11y lighthouse'
const bundlers =
  'rspack rsbuild rslib tsdown unbuild rolldown drizzle-kit hardhat astro metro expo react-native svgo unocss'
const procfile = [option('-f --procfile', /^(?:[\w-]+\/)*Procfile(?:\.\w+)?$/)]
const nix = [
  option('-f --file', called('(?:default|shell|flake|release)', 'nix')),
  option('--expr -E --option --builders --post-build-hook --plugin-files --override-input -I'),
]

function each(
  programs: string,
  options: readonly CodeOption[],
): Record<string, readonly CodeOption[]> {
  return Object.fromEntries(programs.split(' ').map((program) => [program, options]))
}

/** SHELL-11: options of build tools, servers and generators that load or run code, by program. */
export const buildOptions: Readonly<Record<string, readonly CodeOption[]>> = {
  curl: [option('-w --write-out', /^(?!@)/s)],
  dotnet,
  msbuild: dotnet,
  cmake: [
    option('-D', definition),
    option('--toolchain --project-file --debugger-pipe'),
    // Words after `--` are for make or ninja.
    option('-f', /^$/),
  ],
  ...each('make gmake bmake', [
    option(
      '-f --file --makefile',
      /^(?:\.\/)?(?:[\w-]+\/)*(?:(?:GNU)?[Mm]akefile(?:[.-]\w+)*|[\w.-]+\.(?:mk|mak|make))$/,
    ),
  ]),
  ninja: [option('-f', /^(?:[\w-]+\/)*build\.ninja$/)],
  meson: [option('-D', mesonDefinition), option('--gdb-path')],
  scons: [
    option('-f --file --makefile --sconstruct', /^(?:[\w-]+\/)*[Ss][Cc]onstruct(?:\.py)?$/),
    option('-I --include-dir --site-dir'),
  ],
  mvn: [option('-f --file', /^(?:\.\/)?(?:[\w-]+\/)*(?:pom(?:[.-]\w+)*\.xml|[\w-]+)$/)],
  mvnw: [option('-f --file', /^(?:\.\/)?(?:[\w-]+\/)*(?:pom(?:[.-]\w+)*\.xml|[\w-]+)$/)],
  mill: [option('--import')],
  xmake: [option('-F --file -P --project')],
  premake5: [option('--file --scripts')],
  qmake: [option('-spec -platform -qtconf')],
  gn: [option('--dotfile --script-executable')],
  vcpkg: [option('--overlay-ports --overlay-triplets --vcpkg-root')],
  xcodebuild: [option('-xcconfig -toolchain')],
  swift: [
    option(
      '-Xcc -Xswiftc -Xlinker -Xcxx --toolchain --sdk --destination --swift-sdk --disable-sandbox',
    ),
  ],
  flutter: [option('--local-engine --local-engine-src-path')],
  'clang-tidy': [option('-load --load')],
  clangd: [option('--query-driver')],
  cppcheck: [option('--addon --addon-python --clang')],
  gcovr: [option('--gcov-executable --config')],
  lcov: [option('--gcov-tool --rc --config-file')],
  genhtml: [option('--annotate-script --criteria-script --version-script --rc --config-file')],
  ...each(bundlers, [option('-c --config', configFile)]),
  ...each(runners, [
    option('-c --config --config-file --config-path --plugins --preset', configFile),
  ]),
  nyc: [option('-i --require --nycrc-path')],
  tape: [option('-r --require')],
  uvu: [option('-r --require')],
  oxlint: [option('-c --config --js-plugin', /^\.oxlintrc\.json$/)],
  storybook: [option('-c --config-dir', /^(?:[\w-]+\/)*\.storybook$/)],
  typedoc: [option('--plugin --theme'), option('--options', called('typedoc', 'json|[cm]?js'))],
  jsdoc: [
    option('-t --template --plugin'),
    option('-c --configure', called('jsdoc(?:\\.conf)?', 'js(?:on)?')),
  ],
  lessc: [option('--plugin --js')],
  pug: [option('-O --obj')],
  textlint: [option('--plugin --rulesdir --rule --preset')],
  remark: [option('-u --use -r --rc-path')],
  plop: [option('--preload --plopfile', called('plopfile', '[cm]?[jt]s'))],
  danger: [option('-d --dangerfile', called('dangerfile', '[cm]?[jt]s'))],
  'release-it': [option('--plugins --hooks')],
  marp: [option('--engine --browser-path -c --config-file', configFile)],
  mmdc: [option('-p --puppeteerConfigFile')],
  prisma: [
    option('--config', configFile),
    option('--schema', /^(?:\.\/)?(?:[\w-]+\/)*[\w-]+(?:\.prisma)?$/),
  ],
  ...each('sequelize sequelize-cli', [
    option('--options-path --migrations-path'),
    option('--config', called('(?:config|database)', '[cm]?js|json')),
  ]),
  wrangler: [option('-c --config', called('wrangler', 'toml|jsonc?'))],
  ...each('serverless sls', [option('-c --config', called('serverless', 'ya?ml|[jt]s|json'))]),
  ...each('cdk cdktf', [option('-a --app --plugin')]),
  pulumi: [option('--policy-pack --exec-agent')],
  firebase: [option('--config', called('firebase', 'json'))],
  tauri: [option('-r --runner'), option('-c --config', called('tauri', 'conf.json|json'))],
  trunk: [option('--config', called('Trunk', 'toml'))],
  buf: [option('--template', called('buf.gen', yaml))],
  sqlc: [option('-f --file', called('sqlc', 'ya?ml|json'))],
  atlas: [option('-c --config', /^file:\/\/atlas\.hcl$/)],
  helmfile: [
    option('-f --file', called('helmfile', 'ya?ml(?:\\.gotmpl)?')),
    option('-b --helm-binary --kustomize-binary --post-renderer'),
  ],
  skaffold: [option('-f --filename', called('skaffold', yaml))],
  tilt: [option('-f --file', /^(?:[\w-]+\/)*Tiltfile$/)],
  act: [option('-W --workflows --container-options --privileged --bind -P --platform')],
  molecule: [option('-c --base-config')],
  'ansible-lint': [option('-r -R --rules-dir --rulesdir -c --config-file')],
  puppet: [option('--modulepath --confdir --environmentpath')],
  airflow: [option('-S --subdir')],
  locust: [
    option('--config'),
    option('-f --locustfile', /^(?:[\w-]+\/)*locust(?:file)?[\w-]*(?:\.py)?$/),
  ],
  robot: [
    option(
      '--listener --pythonpath -P --variablefile -V --prerunmodifier --prerebotmodifier -A --argumentfile --parser',
    ),
  ],
  behave: [
    option(
      '-f --format',
      formats(
        'plain|pretty|progress[23]?|json(?:\\.pretty)?|steps(?:\\.\\w+)?|tags(?:\\.\\w+)?|null|rerun',
      ),
    ),
  ],
  hypercorn: [option('-c --config -k --worker-class')],
  uwsgi: [
    option(
      '--exec-asap --plugin --plugins --import --ini --yaml --json --xml --py-autoreload --eval',
    ),
  ],
  pyright: [option('--pythonpath --venvpath')],
  'sphinx-build': [
    option('-c', /^(?:[\w-]+\/)*docs?(?:\/[\w-]+)*$/),
    option('-D --define', /^(?:html_\w+|version|release|language|nitpicky|todo_\w+)=/),
  ],
  mkdocs: [option('-f --config-file', called('mkdocs', yaml))],
  pyinstaller: [option('--runtime-hook --additional-hooks-dir --upx-dir')],
  jekyll: [option('-p --plugins'), option('--config', called('_config', yaml))],
  guard: [option('-G --guardfile', /^Guardfile$/)],
  cap: [option('-f --rakefile -r --require')],
  ...each('haml slimrb', [option('-r --require -I')]),
  yard: [option('-e --load --plugin -p --template-path')],
  standardrb: [option('-r --require --plugin')],
  asciidoctor: [option('-r --require -T --template-dir -I --load-path')],
  rector: [option('-a --autoload-file'), option('-c --config', called('rector', 'php'))],
  'php-cs-fixer': [option('--config', /^\.php-cs-fixer(?:\.dist)?\.php$/)],
  behat: [option('-c --config', called('behat', 'ya?ml(?:\\.dist)?'))],
  codecept: [option('--ext -c --config', called('codeception', yaml))],
  phinx: [option('-c --configuration', called('phinx', 'php|ya?ml|json'))],
  wp: [option('--require --exec --ssh')],
  detekt: [option('-p --plugins')],
  spotbugs: [option('-pluginList')],
  liquibase: [option('--classpath --driver --defaults-file --defaultsFile')],
  flyway: [option('-jarDirs -configFiles -callbacks -resolvers')],
  ...each('foreman honcho overmind goreman', procfile),
  ...each('nix nix-build nix-instantiate nix-env', nix),
  blender: [option('-P --python --python-expr --python-text --addons')],
  mpv: [option('--script --scripts --input-conf --include --config-dir')],
  ...each('yt-dlp youtube-dl', [
    option(
      '--exec --exec-before-download --netrc-cmd --plugin-dirs --downloader --external-downloader --ffmpeg-location',
    ),
    option(
      '--config-location --config-locations -a --batch-file --use-postprocessor --load-info-json',
    ),
  ]),
  ...each('nginx supervisord supervisorctl', [
    option('-c', called('(?:nginx|supervisord)', 'conf')),
  ]),
  'redis-server': [option('--loadmodule')],
  pg_ctl: [option('-o --options -p')],
  mysqld: [option('--plugin-load --plugin-load-add --plugin-dir --init-file')],
}
