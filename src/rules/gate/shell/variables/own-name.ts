import type { Assignment, Redirection, Word } from 'unbash'

/** Prefixes of variables that bash or common programs read: `GIT_DIR`, `NODE_OPTIONS`, `BASH_ENV`, `npm_config_prefix`. */
const ofPrograms =
  /^(?:LD|DYLD|GLIBC|MALLOC|GIT|GH|GITHUB|GITLAB|GLAB|HUB|NODE|NPM|NVM|YARN|PNPM|BUN|DENO|VITE|NEXT|REACT|PYTHON\w*|PY|PYENV|PIP|PIPENV|PIPX|UV|POETRY|PDM|CONDA|MAMBA|VIRTUAL|PYTEST|JUPYTER|RUBY\w*|RBENV|GEM|BUNDLE|RAILS|PERL\w*|PHP|COMPOSER|JAVA|JDK|JRE|JVM|MAVEN|MVN|GRADLE|ANT|SBT|SCALA|KOTLIN|GO\w*|CGO|CARGO|RUST\w*|CC|CXX|CPP|LDFLAGS|CMAKE|MAKE\w*|NINJA|MESON|PKG_CONFIG|DOTNET|MSBUILD|NUGET|AWS|AZURE|ARM|GOOGLE|GCLOUD|CLOUDSDK|DOCKER|BUILDKIT|COMPOSE|PODMAN|KUBE\w*|HELM|TF|TERRAFORM|TERRAGRUNT|ANSIBLE|VAULT|CONSUL|NOMAD|PACKER|VAGRANT|SSH|GPG|GNUPG|SSL\w*|OPENSSL|CURL|WGET|RSYNC|PG\w*|PSQL|MYSQL|REDIS\w*|MONGO\w*|SQLITE|BASH\w*|ZDOTDIR|SHELL\w*|ENV|PROMPT|PS\d|HIST\w*|FC\w*|COMP|COPROC|DIRSTACK|FUNCNAME|FUNCNEST|GROUPS|OPT\w*|POSIXLY|PIPESTATUS|SECONDS|RANDOM|SRANDOM|EPOCH\w*|REPLY|TIMEFORMAT|TMOUT|READLINE|INPUTRC|LESS\w*|MORE|MAN|MANPAGER|MANOPT|MANSECT|PAGER|EDITOR|VISUAL|SUDO|BROWSER|TERM\w*|COLORTERM|LS|LC|LANG\w*|NLS\w*|LOCPATH|XDG|X|HOME|USER|LOGNAME|MAIL\w*|TMP\w*|TEMP|TZ\w*|IFS|CDPATH|PWD|OLDPWD|UID|EUID|PPID|SHLVL|HOSTNAME|HOSTTYPE|HOSTALIASES|HOSTFILE|MACHTYPE|OSTYPE|GLOB\w*|EXECIGNORE|FIGNORE|IGNOREEOF|COLUMNS|LINES|CHILD|GNU|GREP|TAR|GZIP|BZIP\w*|XZ|ZSTD|ZIP\w*|UNZIP\w*|RIPGREP|FZF|FD|BAT|JQ|EMACS\w*|VIM\w*|NVIM|DISPLAY|WAYLAND|DBUS|SYSTEMD|NOTIFY|LISTEN|INVOCATION|DEBUGINFOD|GDB\w*|ASAN|UBSAN|LSAN|TSAN|MSAN|LLVM|CUDA|OMP|MKL|NCCL|NVIDIA|DJANGO|FLASK|GUNICORN|UWSGI|CELERY|IPYTHON\w*|MPL\w*|LUA\w*|TCL\w*|GUILE|OCAML\w*|ERL|ELIXIR|MIX|JULIA|R_\w*|TEX\w*|BIBINPUTS|QT|GTK|GIO|AWK\w*|APT|DPKG|RPM|HOMEBREW|NIX|ELECTRON|CHROME|PUPPETEER|PLAYWRIGHT|CYPRESS|TS_NODE|TSX|PARALLEL|SCREEN\w*|TMUX|COUNTERSIGN|npm|pnpm|yarn|rvm|auto|histchars)(?:_|$)/
/** Addresses of databases, which the environment gives to programs. */
export const connectionName = /^(?:DATABASE|DB|POSTGRES|PG|MYSQL|REDIS)_(?:URL|URI|DSN)$/
/** Suffixes of variables that define what runs or where it is searched, in any program. */
const ofWays =
  /(?:^|_)\w*(?:PATH|FLAGS|OPTS|OPTIONS|ARGS|PRELOAD|HOME|RC|SHELL|EDITOR|PAGER|COMMAND|PROXY|proxy|STARTUP|WRAPPER|HOOKS?|ASKPASS|SOCK)$/
/** Names with such a suffix that scripts use: `FILE_PATH`, but not `CURL_ARGS`. */
const ofScripts =
  /^(?:SRC$|(?:FILE|FILES|DIR|SRC|DST|DEST|DATA|LOG|OUT|OUTPUT|INPUT|BASE|BACKUP|MODEL|CSV|JSON|REPORT|TARGET|SOURCE)_PATH$)/

/** Whether neither bash nor a common program uses a variable of this name; for variables that are not exported. */
export function isOwnName(name: string): boolean {
  if (!/^[A-Za-z]\w{0,60}$/.test(name) || ofPrograms.test(name)) return false
  if (connectionName.test(name)) return false
  return !ofWays.test(name) || ofScripts.test(name)
}

/** Whether an assignment only sets one such variable. */
export function isOwnAssignment(
  part: Assignment | Redirection,
): part is Assignment & { readonly value: Word } {
  if (part.type !== 'Assignment') return false
  const { name, value, append, index } = part
  const isPlain = append !== true && index === undefined && value.type === 'Word'
  return isPlain && isOwnName(name)
}
