import { msbuildProperty } from '../build-options.ts'
import { compiler, type Options } from './compiler-options.ts'
import { installers } from './installers.ts'

const container: Options = {
  long: 'host config context output privileged',
  short: 'H',
  sub: /^(?:plugin (?:install|enable|create|set)|context (?:import|use|create)|service create|stack deploy|swarm|save|export|import)\b/,
}

const maven: Options = {
  any: /^(?:exec|antrun|groovy|jbang|beanshell|scala|org\.codehaus\.mojo:exec|[\w.-]+:[\w.-]+:[\w.-]+:)|^-D(?:exec|argLine|distributionUrl|maven\.(?:ext|compiler)|jvm|java\.|surefire\.jvm)/,
}

const gradle: Options = {
  long: 'init-script gradle-distribution-url',
  short: 'I',
  any: /^(?:-[DP]=?|--[a-z-]+=)?(?:org\.gradle\.(?:java|jvm)|gradle\.user)/,
}

const packages: Options = { long: 'option config-file', short: 'oc' }

// Its switches are case-insensitive.
const msbuild = new RegExp(
  `^@|^(?:--?|/)(?:l|logger|dl|distributedlogger):|${msbuildProperty.source}`,
  'i',
)

/** `@file` contains further words. */
const listed: Options = { any: /^@/ }
const takesLists =
  'as objcopy objdump strip size readelf addr2line windres dlltool nvcc swiftc dmd ldc2 groovyc jar jlink jpackage jdeps jmod javap ' +
  'csc vbc fsc cl link lib tsc 7z 7za 7zz emcc em++ wasm-ld llvm-ar pytest buck2'

const browser: Options = {
  any: /^--(?:.*-(?:cmd-prefix|launcher)|browser-subprocess-path|no-sandbox|remote-debugging|load-extension|utility-|renderer-)/,
}

const tex: Options = {
  any: /^--?(?:shell-esc|enable-write18|output-dir|pdflatex|latex|lualatex|e$|r$|usepretex|lua)/,
}

export const optionTables: Readonly<Record<string, Options>> = {
  ...Object.fromEntries(takesLists.split(' ').map((program) => [program, listed])),
  ...installers,
  sort: { long: 'output compress-program files0-from', short: 'o' },
  shuf: { long: 'output', short: 'o' },
  wc: { long: 'files0-from' },
  du: { long: 'files0-from' },
  rg: { long: 'pre pre-glob hostname-bin' },
  fd: { long: 'exec exec-batch', short: 'xX' },
  fdfind: { long: 'exec exec-batch', short: 'xX' },
  find: {
    words: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from',
  },
  fzf: {
    any: /^--?(?:preview|bind|execute|become|reload|filter-cmd|listen|with-shell|history|info-command)/,
  },
  tree: { short: 'oR', long: 'output' },
  tar: {
    long: 'checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command absolute-names files-from remove-files',
    short: 'IFPT',
  },
  bsdtar: { long: 'use-compress-program options files-from', short: 'TP' },
  cpio: { long: 'rsh-command file no-absolute-filenames', short: 'OFI' },
  rsync: {
    long: 'rsh rsync-path daemon config write-batch only-write-batch log-file files-from remote-option remove-source-files remove-sent-files',
    short: 'eM',
  },
  scp: { short: 'SoFD' },
  sftp: { short: 'SoFDbB' },
  'ssh-keygen': { short: 'DM' },
  'ssh-add': { short: 's' },
  split: { long: 'filter' },
  install: { long: 'strip-program' },
  zip: { long: 'unzip-command test', short: 'T' },
  man: { long: 'pager html config-file gxditview preprocessor', short: 'PHCX' },
  perldoc: { short: 'mMWwno' },
  bat: { long: 'pager' },
  batcat: { long: 'pager' },
  delta: { long: 'pager' },
  ag: { long: 'pager' },
  ack: { long: 'pager ackrc output' },
  date: { long: 'set', short: 's', valued: 'dfIr' },
  file: { long: 'compile files-from', short: 'Cf' },
  iconv: { long: 'output', short: 'o' },
  curl: {
    long: 'config output output-dir remote-name remote-name-all upload-file dump-header trace trace-ascii stderr libcurl etag-save hsts alt-svc engine unix-socket abstract-unix-socket ssl-sessions',
    short: 'KoOTJDc',
    valued: 'AbdeEFHmPQrtuUwXxyYzC',
    words: '--cookie-jar',
    any: /^--(?:expand-|cookie-j)|^-[a-zA-Z]*w@|^--write-o[a-z-]*=@|%output\{|^-?-?(?:dict|gopher|telnet|smb|tftp|ldap|scp|sftp|smtp|imap|pop3|rtsp|mqtt)s?:/i,
  },
  wget: {
    long: 'execute use-askpass config post-file body-file output-document output-file append-output directory-prefix input-file save-cookies warc-file rejected-log hsts-file',
    short: 'eOoaPi',
  },
  aria2c: { any: /^--on-|^-[doi]|^--(?:dir|out|input|conf|save|log|enable-rpc)/ },
  nc: { short: 'ec' },
  ncat: { long: 'exec sh-exec lua-exec', short: 'ec' },
  netcat: { short: 'ec' },
  openssl: {
    any: /^--?(?:engine|provider|config|out|keyout|writerand|passout|sess_out|keylogfile|msgfile|CAcreateserial|pre|post)/,
    sub: /^(?:engine|s_server)\b/,
  },
  gpg: {
    long: 'exec-path photo-viewer agent-program dirmngr-program keyserver-options output options load-extension homedir gpgconf passphrase-file status-file logger-file attribute-file pinentry-program import-filter',
    short: 'o',
  },
  npm: {
    long: 'script-shell call node-options globalconfig userconfig',
    short: 'c',
    sub: /^(?:(?:(?:config|c) (?:set|edit|delete|rm|fix)|set|edit|explore|pkg (?:set|delete)|create|login|adduser|innit|init \S)|.*\b(?:run|run-script|rum|urn) env \S)/,
  },
  npx: { long: 'call node-options', short: 'c' },
  yarn: {
    sub: /^(?:(?:config set|create|plugin import|set version|node)\b|(?:.* )?env \S|(?:.* )?(?:workspace \S+|workspaces foreach(?: .*)?) (?:exec|dlx|node|create)\b)/,
  },
  pnpm: {
    long: 'shell-mode script-shell node-options',
    short: 'c',
    sub: /^(?:(?:config set|create|env|-c)\b|.*\brun env \S)/,
  },
  bun: { long: 'eval print preload', short: 'epr', sub: /^(?:create|c|repl|eval|exec)\b/ },
  deno: {
    sub: /^(?:eval|repl|x|jupyter|install|compile|(?:run|test|bench|serve|task) .*:)/,
    any: /^(?:-A|--allow-(?:all|run|ffi))/,
  },
  pip: { sub: /^config (?:set|edit|unset)\b/ },
  make: { long: 'eval environment-overrides', short: 'Ee' },
  gmake: { long: 'eval environment-overrides', short: 'Ee' },
  cmake: {
    words: '-P -E -C --find-package',
    any: /^-[PEC]/,
  },
  ctest: {
    any: /^(?:-S|-D|--build-and-test|--script|--build-makeprogram|--extra-submit|--test-command)/,
  },
  ninja: { short: 't' },
  cargo: { long: 'config', sub: /^rustc\b/, any: /linker|link-arg|codegen-backend/ },
  rustc: { any: /linker|link-arg|codegen-backend|plugin|^-Z|^@/ },
  go: {
    words:
      '-exec -toolexec -vettool -overlay -gccgoflags -modfile --exec --toolexec --vettool --overlay',
    any: /extld|-fplugin|extar|^-w$/,
    sub: /^(?:env (?:set|edit)|bug)\b/,
  },
  nm: { long: 'plugin', any: /^@/ },
  ar: { long: 'plugin', any: /^@/ },
  ranlib: { long: 'plugin', any: /^@/ },
  gcc: compiler,
  cc: compiler,
  'g++': compiler,
  'c++': compiler,
  clang: compiler,
  'clang++': compiler,
  cpp: compiler,
  cc1: compiler,
  gfortran: compiler,
  ld: compiler,
  'ld.lld': compiler,
  java: {
    any: /^(?:@|-javaagent|-agent(?:path|lib)|-XX:(?:On|Flags|VMOptions|.*Command)|-Xbootclasspath|-Xrun|-Djava\.(?:security|rmi)|--?patch-module)/,
  },
  javac: { any: /^(?:@|-J|--?processor|-proc|-Xplugin|-A)/ },
  mvn: maven,
  mvnw: maven,
  gradle,
  gradlew: gradle,
  ant: { any: /^-D/ },
  scalac: { any: /^(?:-Xplugin|-P:|-J|@)/ },
  javadoc: { any: /^(?:@|-J)/ },
  sbt: {
    any: /^(?:eval|set|session|console\w*|apply|!|<|;|-J|-java-home|-sbt-jar|-addPluginSbtFile)/,
  },
  webpack: { any: /^--(?:module-rules|resolve-loader|extends)/ },
  vitest: { any: /^--poolOptions/ },
  jest: { any: /^(?:-c=?|--config=?)?\{/ },
  'ansible-playbook': { any: /^(?:-e|--extra-vars=?)?@/ },
  brew: { sub: /^(?:sh|irb|ruby|edit|create|tap|bundle exec|exec|extract|prof)\b/ },
  bundle: { sub: /^(?:console|open|plugin|config (?!get|list|unset)\S+)/ },
  gem: { sub: /^(?:exec|open|server)\b/ },
  // Any prefix of a command's name is accepted.
  composer: { sub: /^(?:con?f?i?g?|gl?o?b?a?l?|ex?e?)(?![\w-])/ },
  bazel: { sub: /^run\b/, any: /^--@/ },
  meson: { sub: /^devenv\b/ },
  dotnet: { any: msbuild, sub: /^(?:fsi|script|nuget (?:add|update|enable|remove))\b/ },
  msbuild: { any: msbuild },
  svn: { any: /^svn\+\w+:\/\/-/ },
  dvc: { sub: /^(?:run|exp run|stage add)\b/ },
  dlv: { sub: /^(?:exec|debug|test|connect)\b/ },
  scrapy: { sub: /^(?:shell|runspider)\b/ },
  sqlcmd: { any: /!!|^-i/ },
  cqlsh: { short: 'f' },
  sshfs: { any: /ssh_command|^-o$/ },
  'manage.py': { sub: /^(?:shell|shell_plus|dbshell)\b/ },
  artisan: { sub: /^ti\w*\b/ },
  protoc: { any: /^@/ },
  helm: { long: 'post-renderer', sub: /^plugin\b/ },
  kustomize: { any: /^--enable/ },
  terraform: { long: 'plugin-dir', any: /^--?plugin-dir/, sub: /^console\b/ },
  kubectl: {
    long: 'kubeconfig exec-command auth-provider enable-helm enable-exec',
    sub: /^(?:edit|config set|plugin|proxy)\b/,
  },
  docker: container,
  podman: container,
  nerdctl: container,
  systemctl: { sub: /^(?:edit|link|set-environment|import-environment|revert)\b/ },
  crontab: { any: /^(?!-l$)/ },
  apt: packages,
  'apt-get': packages,
  'apt-cache': packages,
  aptitude: packages,
  rpm: { long: 'eval define pipe load macros rcfile', short: 'ED' },
  dpkg: { any: /^--(?:pre-invoke|post-invoke|status-logger|instdir|admindir)/ },
  ip: { words: 'exec', any: /^-b(?!r)|^-force$|batch/ },
  tc: { any: /^-b|batch|^exec$/ },
  ss: { short: 'DFK' },
  iptables: { long: 'modprobe' },
  sysctl: { short: 'wp', long: 'write load system' },
  tcpdump: { short: 'zwZ' },
  tshark: { short: 'wX' },
  nmap: {
    any: /^(?:--script|-o|-iL|--interactive|--datadir|--resume|--stylesheet|--exclude-file)/,
  },
  restic: { long: 'password-command option', short: 'o' },
  borg: { long: 'rsh remote-path', sub: /^with-lock\b/ },
  rclone: { long: 'password-command metadata-mapper log-file', sub: /^(?:config|mount|serve)\b/ },
  certbot: { any: /-hook/ },
  pandoc: {
    long: 'filter lua-filter pdf-engine defaults extract-media data-dir',
    short: 'FLd',
  },
  pdftex: tex,
  pdflatex: tex,
  latex: tex,
  lualatex: tex,
  luatex: tex,
  xelatex: tex,
  latexmk: tex,
  groff: { short: 'UP' },
  pic: { short: 'U' },
  gs: { any: /%pipe%|^-c|^-f$|^-dNOSAFER|^-dDELAYSAFER|^@|^-_/i },
  convert: { any: /^[|@]|^(?:msl|mvg|ephemeral|https?):/i },
  magick: { any: /^[|@]|^(?:msl|mvg|ephemeral|https?):|^-script/i },
  identify: { any: /^[|@]|^(?:msl|mvg|ephemeral|https?):/i },
  exiftool: { any: /^-(?:config|if|p|w|o|@|stay_open|execute|.*<)/i },
  xmllint: { any: /^--(?:output|shell|xinclude|load-trace)/ },
  xsltproc: { short: 'o', long: 'output writesubtree load-trace' },
  xmlstarlet: { short: 'L', long: 'inplace', any: /document\(|unparsed|exsl:|dyn:/ },
  tidy: { any: /^-(?:m|o|f|config)/ },
  yq: {
    long: 'inplace split-exp',
    short: 'is',
    // `.env` is a field; `eval` takes a text that may say anything.
    any: /(?<!(?<!\.)\.|")\b(?:load\w*|(?:str|xml|props|base64|json|yaml)load|(?:str)?env|envsubst|system|input_filename)\b|\b(?:load\w*|(?:str|xml|props|base64|json|yaml)load|(?:str)?env|envsubst|system|eval) *\(|\$ENV\b/,
  },
  jq: {
    long: 'from-file',
    short: 'f',
    any: /\$ENV\b|(?<!(?<!\.)\.|["$])\benv\b|\b(?:import|include)\s*"/,
  },
  eslint: { long: 'output-file', short: 'o' },
  mypy: { long: 'python-executable install-types' },
  pylint: { long: 'init-hook' },
  prove: { long: 'exec', short: 'eI' },
  phpunit: { long: 'bootstrap' },
  mix: { long: 'eval require', short: 'e' },
  ctags: { long: 'options filter' },
  cloc: { long: 'extract-with config diff-alignment' },
  libtool: { long: 'mode' },
  pg_dump: { long: 'file', short: 'f' },
  pg_dumpall: { long: 'file', short: 'f' },
  mysqldump: { long: 'result-file tab', short: 'rT' },
  chromium: browser,
  'google-chrome': browser,
  gh: {
    sub: /^(?:alias (?:set|import)|config set|extensions? (?:install|upgrade)|ext install|auth (?:token|login|setup-git))\b/,
  },
  glab: { sub: /^(?:alias set|config set)\b/ },
  aws: { sub: /^configure (?:set|import)\b/ },
  gcloud: { long: 'flags-file', sub: /^config set\b/ },
  vault: { sub: /^(?:agent|ssh)\b/ },
  rails: { sub: /^(?:runner|r|console|c|dbconsole)\b/ },
  wp: { sub: /^(?:eval|eval-file|shell)\b/ },
  drush: { sub: /^(?:ev|php|sql|ssh|core:execute)/ },
  nim: { sub: /^(?:e|r|secret)\b/ },
  crystal: { sub: /^(?:eval|play|i)\b/ },
  flask: { sub: /^shell\b/ },
  'django-admin': { sub: /^(?:shell|dbshell)/ },
  ghc: { any: /^(?:@|-(?:e|pgm|F|fplugin))/ },
  kotlinc: { any: /^(?:@|-(?:script|expression|Xplugin))/ },
  jupyter: { long: 'execute' },
  history: { short: 'warns' },
  jobs: { short: 'x' },
  wait: { short: 'p' },
}
