import { type RequiredTrust, requiredTrust, showByOption } from './name-streams.ts'
import { commandAt, type WrapperWords } from './plain-wrappers.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'

const number = /^\d{1,6}$/
const delimiter = /^(?:\\[n0t]|[,:; ])$/
const place = /^(?:\{\}|%)$/
const xargsWords: WrapperWords = {
  alone:
    /^(?:-[0rtx]+|-[0rt]*[nPLs]\d{1,6}|-I(?:\{\}|%)|-d(?:\\[n0t]|[,:;])|--(?:null|no-run-if-empty|verbose)|--(?:max-args|max-procs)=\d{1,6}|--delimiter=(?:\\[n0t]|[,:;]))$/,
  valued: [
    [/^-[0rt]*[nPLs]$/, number],
    [/^-[0rt]*I$/, place],
    [/^-d$/, delimiter],
    [/^-a$/, /^\w[\w./-]*$/],
  ],
}

/** A command that gets words from a stream, and the knowledge required of that stream. */
export interface XargsCommand {
  readonly command: readonly string[]
  readonly needs: RequiredTrust
  /** Words end at blanks and line ends; false: at line ends only. */
  readonly isSplit: boolean
  /** Words end at NUL only. */
  readonly isNul: boolean
}

/** SHELL-04: the command that `xargs` runs, if any further word is harmless to it; undefined if one may not be. */
export function parseXargs(words: readonly string[]): XargsCommand | undefined {
  const [program = ''] = words
  if (!isSystemProgram(program) || baseName(program) !== 'xargs') return undefined
  const at = commandAt(words, xargsWords)
  const command = words.slice(at)
  const known = at === undefined ? undefined : requiredTrust(command)
  if (known === undefined || /[{}%]/.test(command[0] ?? '')) return undefined
  const options = words.slice(1, at)
  // With several such options the last one wins, or none works as intended.
  if (!isUnambiguous(options)) return undefined
  const isNul = options.some((word) => endsByNul.test(word))
  const needs = known === 'names' ? neededToShow(command, isNul) : known
  const replaced = placeOf(options)
  // Inserting a line into a word gives another name: `%env` becomes `.env` for the line `.`.
  const isWhole = (word: string) =>
    replaced === undefined || word === replaced || !word.includes(replaced)
  // Of what a file holds nothing is known.
  const isFromFile = options.includes('-a')
  if (needs !== 'stream' && (isFromFile || !command.every(isWhole))) return undefined
  return { command, needs, isSplit: !isNul && !options.some(isOtherDelimiter), isNul }
}

/** The text that `-I` replaces by a line. */
function placeOf(options: readonly string[]): string | undefined {
  const at = options.findIndex((word) => replaces.test(word))
  return at === -1 ? undefined : (/I(.+)$/.exec(options[at] ?? '')?.[1] ?? options[at + 1])
}

/** Without NUL, lines are split at blanks and quotes, so that a name may become an outside path. */
function neededToShow([program = '']: readonly string[], isNul: boolean): RequiredTrust {
  if (!isNul) return 'checked'
  return showByOption.has(baseName(program)) ? 'started' : 'separated'
}

const endsByNul = /^-[rtx]*0|^--null$/
const replaces = /^-[0rtx]*I/
const endsLines = /^-[0rtx]*[nL]|^--max-args/
const delimits = /^-d|^--delimiter/

/** Whether no two options define the separator, the replaced text, or the number of lines. */
function isUnambiguous(options: readonly string[]): boolean {
  const count = (pattern: RegExp) => options.filter((word) => pattern.test(word)).length
  return count(replaces) + count(endsLines) <= 1 && count(endsByNul) + count(delimits) <= 1
}

function isOtherDelimiter(word: string): boolean {
  return /^(?:-d|--delimiter=)?(?:\\[0t]|[,:; ])$/.test(word)
}
