import type { Assignment } from 'unbash'
import { isOwnName } from './own-name.ts'

/** SHELL-05: variables that affect only a program's output, not what it runs or opens. */
const harmless: ReadonlySet<string> = new Set(
  (
    'NODE_ENV CI TZ LANG LANGUAGE NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES DEBUG LOG_LEVEL ' +
    'RUST_LOG RUST_BACKTRACE APP_ENV RAILS_ENV RACK_ENV FLASK_ENV MIX_ENV ASPNETCORE_ENVIRONMENT PORT HUSKY VERBOSE ' +
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING GOOS GOARCH GOARM CGO_ENABLED ' +
    'GOMAXPROCS GOTRACEBACK SOURCE_DATE_EPOCH CARGO_TERM_COLOR CARGO_INCREMENTAL DOCKER_BUILDKIT COMPOSE_PROJECT_NAME ' +
    'OMP_NUM_THREADS CUDA_VISIBLE_DEVICES TOKENIZERS_PARALLELISM TF_CPP_MIN_LOG_LEVEL MKL_NUM_THREADS OPENBLAS_NUM_THREADS TEST_ENV BUILD_ENV APP_DEBUG LOGLEVEL UV_NO_CACHE NEXT_TELEMETRY_DISABLED DO_NOT_TRACK'
  ).split(' '),
)

const plainValue = /^[\w.,:+@=%*-]{0,100}$/
/** For variables that only web bundlers read: addresses are allowed too. */
const pageValue = /^[\w.,:+@=%/-]{0,200}$/
/** A switch or a number, which names neither a program nor a file, for variables that no common program reads. */
const switchValue = /^(?:true|false|yes|no|on|off|\d{1,9})$/i
/** A name of several words, as an application gives its own switches. */
const ofApplication = /^[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+$/
/** Variables whose names say that they hold the name of a stage. */
const ofStage = /_(?:ENV|ENVIRONMENT|STAGE|MODE|LEVEL)$/
const stageValue = /^[A-Za-z][\w-]{0,30}$/
/** A password or name by which clients of databases log in. */
const loginValue = /^[\w.,:+@%*!-]{0,100}$/
const timeZone = /^[A-Z]\w{1,20}(?:\/\w{1,20}){0,2}$/

/**
 * The reason why an assignment asks. All do, except known names with plain values, because a list of dangerous variables could
 * not be complete.
 */
export function assignmentHazard({
  name,
  text,
}: Pick<Assignment, 'name' | 'text'>): string | undefined {
  const value = /^[A-Za-z_]\w*=(["']?)(.*)\1$/s.exec(text)?.[2]
  const isPlain = value !== undefined && shapeOf(name)?.test(value) === true
  return isPlain ? undefined : `it sets a variable, ${name}, that may change what runs`
}

/** Whether a word of `env` or `export` sets a variable without effect on what runs. */
export function isHarmlessAssignment(word: string): boolean {
  const name = /^(\w+)=/.exec(word)?.[1]
  return name !== undefined && assignmentHazard({ name, text: word }) === undefined
}

/** An address on this machine, or a file of the workspace. */
const localAddress =
  /^(?:(?:postgres(?:ql)?|mysql|mariadb|redis|mongodb|amqp|https?)(?:\+\w+)?:\/\/(?:[\w.%-]+(?::[\w.%-]+)?@)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d{1,5})?(?:\/[\w.%/-]*)?|sqlite:\/\/\/(?:\.\/)?\w[\w/-]*\.\w+|file:(?:\.\/)?\w[\w/-]*\.\w+)$/
/** A pager, editor or askpass program that does nothing. */
const noProgram = /^(?:cat|true|:|)$/

const rustFlags =
  /^(?:(?:-[DWA] ?[a-z_:-]+|-C ?(?:opt-level=[0-3sz]|debuginfo=[0-2]|target-cpu=[\w-]+|instrument-coverage)|--cfg \w+)(?: (?=-)|$))+$/

/** SHELL-05: harmless values of variables that can affect what runs. */
const harmlessValues: Readonly<Record<string, RegExp>> = {
  PAGER: /^cat$/,
  GIT_PAGER: /^(?:cat|)$/,
  MANPAGER: /^cat$/,
  SYSTEMD_PAGER: /^(?:cat|)$/,
  AWS_PAGER: /^(?:cat|)$/,
  GH_PAGER: /^(?:cat|)$/,
  GIT_EDITOR: noProgram,
  GIT_SEQUENCE_EDITOR: noProgram,
  GIT_TERMINAL_PROMPT: /^[01]$/,
  NODE_OPTIONS:
    /^--(?:max[-_]old[-_]space[-_]size=\d{1,6}|no-warnings|no-deprecation|trace-warnings|trace-deprecation|enable-source-maps|experimental-vm-modules|openssl-legacy-provider|unhandled-rejections=\w+)$/,
  GOFLAGS:
    /^(?:-(?:mod=(?:mod|vendor|readonly)|race|v|trimpath|count=\d+|tags=[\w,]+|buildvcs=(?:true|false|auto))(?: (?=-)|$))+$/,
  RUSTFLAGS: rustFlags,
  RUSTDOCFLAGS: rustFlags,
  PYTHONWARNINGS: /^(?:ignore|default|error|always)$/,
  MPLBACKEND: /^(?:agg|svg|pdf|cairo)$/i,
  DJANGO_SETTINGS_MODULE: /^(?:\w+\.)*settings(?:\.\w+)?$/,
  TF_LOG: /^(?:trace|debug|info|warn|error)$/i,
  AWS_PROFILE: /^\w[\w-]{0,40}$/,
  AWS_REGION: /^[a-z]{2}(?:-[a-z]+)+-\d$/,
  AWS_DEFAULT_REGION: /^[a-z]{2}(?:-[a-z]+)+-\d$/,
  AWS_DEFAULT_OUTPUT: /^(?:json|text|table|yaml)$/,
  DATABASE_URL: localAddress,
  TEST_DATABASE_URL: localAddress,
  DB_URL: localAddress,
  REDIS_URL: localAddress,
  MONGO_URL: localAddress,
  MONGODB_URI: localAddress,
  BASE_URL: localAddress,
  API_URL: localAddress,
  DB_HOST: /^(?:localhost|127\.0\.0\.1)$/,
  PGHOST: /^(?:localhost|127\.0\.0\.1)$/,
  PGPASSWORD: loginValue,
  PGUSER: loginValue,
  PGDATABASE: /^\w[\w-]{0,60}$/,
  PGPORT: /^\d{1,5}$/,
  PGCONNECT_TIMEOUT: /^\d{1,4}$/,
  MYSQL_PWD: loginValue,
  REDISCLI_AUTH: loginValue,
  HOST: /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0)$/,
}

function shapeOf(name: string): RegExp | undefined {
  if (Object.hasOwn(harmlessValues, name)) return harmlessValues[name]
  if (name === 'TZ') return timeZone
  if (/^(?:VITE|NEXT_PUBLIC|REACT_APP)_[A-Z][A-Z0-9_]*$/.test(name)) return pageValue
  if (harmless.has(name) || /^LC_[A-Z]+$/.test(name)) return plainValue
  if (!ofApplication.test(name) || !isOwnName(name)) return undefined
  return ofStage.test(name) ? stageValue : switchValue
}
