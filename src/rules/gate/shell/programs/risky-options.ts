import type { Options } from './compiler-options.ts'
import { optionTables } from './option-tables.ts'

/** The tables prepared for lookups. */
interface RiskyOptions {
  readonly table: Options
  readonly long: readonly string[]
  readonly words: ReadonlySet<string>
}

const byProgram: ReadonlyMap<string, RiskyOptions> = new Map(
  Object.entries(optionTables).map(([program, table]) => [
    program,
    { table, long: namesIn(table.long), words: new Set(namesIn(table.words)) },
  ]),
)

function namesIn(text: string | undefined): readonly string[] {
  return text?.split(' ') ?? []
}

/** The first word that makes the program run something or write a file. */
export function riskyOption(program: string, words: readonly string[]): string | undefined {
  const options = byProgram.get(program)
  if (options === undefined) return undefined
  const rest = program === 'npx' ? beforePackage(words) : ownWords(program, words.slice(1))
  if (program === 'openssl' && words[1] === 's_client') return clientOption(words.slice(2))
  const sub = subcommandIn(rest, options.table)
  if (sub !== undefined && !printsArchive(program, rest)) return sub
  const oldStyle = program === 'tar' ? words[1] : undefined
  return rest.find(
    (word, at) =>
      (isNamed(word, options) || (word === oldStyle && isRiskyTar(word))) &&
      !isShown(program, word, rest[at + 1]) &&
      !(program === 'jq' && isVariable(rest, at)),
  )
}

/** The first word of `openssl s_client` that is not known to only choose how it connects. */
function clientOption(rest: readonly string[]): string | undefined {
  const odd = rest.find((word, at) => {
    if (word.startsWith('-')) return !connectsAlone.test(word) && !connectsBy.test(word)
    return !(connectsBy.test(rest[at - 1] ?? '') || (at === 0 && /^[\w.-]+:\d+$/.test(word)))
  })
  return odd === undefined ? undefined : `s_client ${odd}`
}

const connectsAlone =
  /^-(?:showcerts|brief|quiet|status|ign_eof|no_ign_eof|prexit|crlf|state|tlsextdebug|noservername|verify_return_error|[46]|(?:no_)?tls1(?:_[123])?)$/
const connectsBy =
  /^-(?:connect|servername|starttls|alpn|verify|verify_depth|verify_hostname|CAfile|CApath|cipher|ciphersuites|groups|host|port)$/

/** The options of `npx` itself: after the package's name, if that is certain, all words belong to the package. */
function beforePackage(words: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word, index) => index > 0 && !/^(?:-y|--yes|--no-install)$/.test(word),
  )
  return at === -1 || words[at]?.startsWith('-') === true ? words.slice(1) : words.slice(1, at)
}

function subcommandIn(rest: readonly string[], { sub }: Options): string | undefined {
  return sub?.exec(rest.filter((word) => !word.startsWith('-')).join(' '))?.[0]
}

/** The words of `cargo run` before `--`; those behind belong to the program of the workspace. */
function ownWords(program: string, rest: readonly string[]): readonly string[] {
  const at =
    program === 'cargo' && /^(?:run|test|bench)$/.test(rest[0] ?? '') ? rest.indexOf('--') : -1
  return at === -1 ? rest : rest.slice(0, at)
}

const setsVariable = /^--(?:arg|argjson|slurpfile|rawfile)$/

/** `jq --arg env prod`: a name, if no option before can have taken `--arg` as its value. */
function isVariable(rest: readonly string[], at: number): boolean {
  const earlier = rest.slice(Math.max(0, at - 3), at - 1)
  return setsVariable.test(rest[at - 1] ?? '') && !earlier.some((word) => setsVariable.test(word))
}

/** `docker save x | tar -t`: without a file it prints the archive, and refuses to do so on a terminal. */
function printsArchive(program: string, rest: readonly string[]): boolean {
  if (!/^(?:docker|podman|nerdctl)$/.test(program)) return false
  const isArchive = /^(?:image )?save |^(?:container )?export /.test(rest.join(' '))
  return isArchive && rest.every((word) => !/^-(?!-format=docker-archive$)/.test(word))
}

function isNamed(word: string, { table, long, words }: RiskyOptions): boolean {
  return (
    isLong(word, long) ||
    isShort(word, table) ||
    isWord(word, words) ||
    table.any?.test(word) === true
  )
}

/** `tar xIf`: letters without a dash. */
function isRiskyTar(word: string): boolean {
  return /^[A-Za-z]+$/.test(word) && /[IFPT]/.test(word)
}

/** Harmless letters may precede it; the null device and standard output are not files. */
function isShown(program: string, word: string, next = ''): boolean {
  if (next === '/dev/null' && isOutput.test(word)) return true
  if (program === 'ninja') return word === '-t' && showsBuild.test(next)
  const isStandard = next === '-' || next === '/dev/stdout'
  if (program === 'curl') return isStandard && isOutput.test(word)
  if (program !== 'wget') return false
  return /^-[qnv]*O-$|^--output-document=-$/.test(word) || (isStandard && isDocument.test(word))
}

/** Tools of ninja that print the build; others start commands or delete. */
const showsBuild = /^(?:targets|commands|deps|query|graph|rules|inputs|missingdeps|list)$/
const isOutput = /^-[sSfLkiIv]*o$|^--output$/
const isDocument = /^-[qnv]*O$|^--output-document$/

function isLong(word: string, names: readonly string[]): boolean {
  const name = /^--([^=]+)/.exec(word)?.[1]
  return name !== undefined && names.some((long) => long.startsWith(name))
}

function isShort(word: string, { short = '', valued = '' }: Options): boolean {
  const letters = /^-([A-Za-z0-9]+)/.exec(word)?.[1]
  if (letters === undefined) return false
  const cluster = [...letters]
  const risky = cluster.findIndex((letter) => short.includes(letter))
  return risky !== -1 && !cluster.slice(0, risky).some((letter) => valued.includes(letter))
}

function isWord(word: string, names: ReadonlySet<string>): boolean {
  return names.size > 0 && names.has(word.split('=', 1)[0] ?? word)
}
