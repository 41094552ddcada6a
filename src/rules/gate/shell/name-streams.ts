import { commandAt, type WrapperWords } from './plain-wrappers.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { scriptAt } from './words/file-globs.ts'

/**
 * How much is known of the lines that come through a pipe. `names`: files that a listing found, all or those of one kind.
 * `separated`: the same, with NUL between them, so that no name is two words to `xargs -0`. `picked`: names chosen by what stands
 * in them. `stream`: anything.
 */
export type Lines = 'stream' | 'picked' | 'names' | 'separated'

/** What a program that is given words must know of them. `checked`: nothing is enough, unless each was looked at before. */
type Needed = Lines | 'checked'

/** Programs that show their words and nothing else, whatever they are. */
const showWords: ReadonlySet<string> = new Set(['echo', 'basename', 'dirname'])
/** Programs that say something about files, and nothing that stands in them. No option of theirs writes or runs anything. */
const describe: ReadonlySet<string> = new Set(
  'ls stat md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum'.split(' '),
)
/** Programs that show what stands in files. `wc` and `du` do so when a name is `--files0-from=…`. */
const show: ReadonlySet<string> = new Set('cat head tail nl tac wc du grep egrep fgrep'.split(' '))
/** Programs that only read, as long as none of their words is an option that nobody knows. No operand of theirs is a script. */
const showOperands: ReadonlySet<string> = new Set(['file', 'strings'])

const ranks: Readonly<Record<Needed, number>> = {
  ...{ stream: 0, picked: 1, names: 2, separated: 3, checked: 4 },
}

/** Whether lines of which so much is known are enough. */
export function isEnough(given: Lines, needed: Needed): boolean {
  return ranks[given] >= ranks[needed]
}

/** What a program may be given as further words, options among them; undefined: nothing that the text does not tell. */
function neededBy(words: readonly string[]): Needed | undefined {
  const [program = '', first = ''] = words
  if (!isSystemProgram(program)) return undefined
  const name = baseName(program)
  if (showWords.has(name) || (name === 'printf' && /^[^-{%]|^%[sd]/.test(first))) return 'stream'
  if (describe.has(name)) return 'picked'
  if (show.has(name)) return 'names'
  return readsOperands(name, words.slice(1)) ? 'checked' : undefined
}

/** Whether further words that are names, and neither options nor in two parts, are files that it reads and nothing else. */
function readsOperands(name: string, rest: readonly string[]): boolean {
  if (name === 'rg') return rest.some((word) => !word.startsWith('-'))
  if (name === 'file')
    return rest.every((word) => /^-[bikL]+$|^--(?:brief|mime-type)$|^(?:\{\}|%)$/.test(word))
  const script = /^(?:sed|[gm]?awk|jq)$/.test(name) ? scriptAt(name, rest) : undefined
  return script !== undefined && !/^(?:\{\}|%)$/.test(rest[script] ?? '')
}

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
  ],
}

/** A command that is given words by a stream, and what must be known of that. */
export interface Fed {
  readonly command: readonly string[]
  readonly needs: Needed
  /** Whether it takes words to end at blanks and line ends, or line ends alone. */
  readonly isSplit: boolean
}

/** SHELL-04: what `xargs` runs, where every further word is harmless to it; undefined where one may not be. */
export function fedByXargs(words: readonly string[]): Fed | undefined {
  const [program = ''] = words
  if (!isSystemProgram(program) || baseName(program) !== 'xargs') return undefined
  const at = commandAt(words, xargsWords)
  const command = words.slice(at)
  const known = at === undefined ? undefined : neededBy(command)
  if (known === undefined || /[{}%]/.test(command[0] ?? '')) return undefined
  const options = words.slice(1, at)
  const isNul = options.some((word) => /^-[rtx]*0|^--null$/.test(word))
  // It splits lines at blanks and quotes, so that a name may become a path outside.
  const shown = isNul ? 'separated' : 'checked'
  const needs = known === 'names' ? shown : known
  const replaced = placeOf(options)
  if (needs !== 'stream' && !command.every((word) => isSafeAround(word, replaced, needs)))
    return undefined
  return { command, needs, isSplit: !isNul && !options.some(isOtherDelimiter) }
}

/** What `-I` has replaced by a line. */
function placeOf(options: readonly string[]): string | undefined {
  const at = options.findIndex((word) => /^-[0rt]*I/.test(word))
  return at === -1 ? undefined : (/I(.+)$/.exec(options[at] ?? '')?.[1] ?? options[at + 1])
}

/** Whether a line in the place of `-I` becomes no option there, and no part of a script. */
function isSafeAround(word: string, replaced: string | undefined, needs: Needed): boolean {
  if (replaced === undefined || !word.includes(replaced)) return true
  return word === replaced || (needs !== 'checked' && !word.startsWith('-'))
}

function isOtherDelimiter(word: string): boolean {
  return /^(?:-d|--delimiter=)?(?:\\[0t]|[,:; ])$/.test(word)
}

/** What `find` runs by `-exec` over the files that it finds, where that only reads them. A found name is no option. */
export function fedByFind(words: readonly string[]): readonly (readonly string[])[] | undefined {
  const [program = '', start = ''] = words
  if (!isSystemProgram(program) || baseName(program) !== 'find') return undefined
  // Without a directory to start from, BSD's would take an option for it.
  if (!/^[\w./]/.test(start)) return undefined
  const commands: (readonly string[])[] = []
  const rest: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word !== '-exec') rest.push(word)
    else {
      const end = words.findIndex((next, index) => index > at && /^[;+]$/.test(next))
      if (end === -1) return undefined
      commands.push(words.slice(at + 1, end))
      at = end
    }
  }
  const lines = linesOf(rest)
  const areKnown = commands.every((command) => isOverFound(command, lines))
  return commands.length > 0 && areKnown ? commands : undefined
}

function isOverFound(command: readonly string[], lines: Lines): boolean {
  const name = baseName(command[0] ?? '')
  const isPlain = command.every((word, at) => !word.includes('{}') || (at > 0 && word === '{}'))
  const isOperand = showOperands.has(name) && isSystemProgram(command[0] ?? '')
  const needs = neededBy(command) ?? (isOperand ? 'names' : undefined)
  return isPlain && command.includes('{}') && needs !== undefined && isEnough(lines, needs)
}

/** What a command that stands in front of a pipe gives to it. */
export function linesOf(words: readonly string[], given?: Lines): Lines {
  const [program = '', ...rest] = words
  if (!isSystemProgram(program)) return 'stream'
  const name = baseName(program)
  if (given !== undefined && given !== 'stream') return filtered(words, given)
  if (name === 'find') return separated(found(rest), rest.includes('-print0'))
  if (name === 'git')
    return separated(
      listed(rest),
      rest.some((word) => /^-[a-zA-Z]*z$/.test(word)),
    )
  if (name === 'fd') return byKind(rest)
  if (name === 'ls')
    return rest.some((word) => /^-[A-Za-z]*[aAlsinoQgmf]|^--/.test(word)) ? 'stream' : 'names'
  const isNul = rest.some((word) => /^-[A-Za-z]*[Z0]|^--null/.test(word))
  const isChosen = rest.some(choosesNames)
  if (name === 'rg' && rest.includes('--files'))
    return separated(isChosen ? 'picked' : 'names', isNul)
  const lists = /^(?:[ef]?grep|rg)$/.test(name) && rest.some((word) => /^-[A-Za-z]*l/.test(word))
  if (!lists || rest.some((word) => /^-[A-Za-z]*[oc]/.test(word))) return 'stream'
  return separated(isChosen ? 'picked' : 'names', isNul)
}

/** Of `rg` and `grep`: an option by which some names are chosen, other than those of a kind, or outside a folder. */
function choosesNames(word: string, at: number, words: readonly string[]): boolean {
  if (!/^-[A-Za-z]*g|^--(?:i?glob|include|exclude)/.test(word)) return false
  const glob = /^(?:-g|--glob=|--include=)(.+)$/.exec(word)?.[1]
  const isKind = /^\*\.\w+$/.test(glob ?? (word === '-g' ? (words[at + 1] ?? '') : ''))
  return !isKind && !/^--exclude-dir=[\w.-]+$/.test(word)
}

/** What `fd` lists by endings and kinds of files alone; a pattern would choose among names. */
function byKind(rest: readonly string[]): Lines {
  const isPlain = rest.every(
    (word, at) =>
      /^-[HIadet]$|^--(?:hidden|type=\w+|extension=\w+)$/.test(word) ||
      (/^-[et]$/.test(rest[at - 1] ?? '') && /^\w+$/.test(word)),
  )
  return isPlain ? 'names' : 'stream'
}

function separated(lines: Lines, isNul: boolean): Lines {
  return lines === 'names' && isNul ? 'separated' : lines
}

/** Of `find` all but what prints something else than names, or runs and writes; a name that is looked for is one of a kind. */
function found(rest: readonly string[]): Lines {
  if (rest.some((word) => /^-(?:printf|fprint|exec|ok|ls$|fls|delete|files0)/.test(word)))
    return 'stream'
  const isOfKind = (word: string, at: number): boolean =>
    !/^-i?(?:name|path|wholename|regex|lname)$/.test(rest[at - 1] ?? '') ||
    rest[at - 2] === '-not' ||
    rest[at - 2] === '!' ||
    /^\*\.\w+$|^[^*?[\\]+$/.test(word)
  return rest.every(isOfKind) ? 'names' : 'picked'
}

/** What git lists. Paths with wildcards other than of one kind choose, and so does what is not tracked. */
function listed(rest: readonly string[]): Lines {
  const [command = '', ...words] = rest[0] === '--no-pager' ? rest.slice(1) : rest
  if (words.some((word) => /^--(?:format|pretty|output|stage|debug|eol)|^-[a-z]*s/.test(word)))
    return 'stream'
  const isListing =
    command === 'ls-files' ||
    (command === 'diff' && words.includes('--name-only')) ||
    (command === 'grep' && words.some((word) => /^(?:-[a-zA-Z]*l|--name-only)$/.test(word)))
  if (!isListing) return 'stream'
  const isChosen = words.some(
    (word) =>
      /^:|^-[a-z]*o|^--(?:others|ignored)/.test(word) ||
      (/[*?[\\]/.test(word) && !/^(?:\w[\w./-]*\/)?\*\.\w+$/.test(word)),
  )
  return isChosen ? 'picked' : 'names'
}

/** A filter that leaves lines whole. */
function filtered(words: readonly string[], given: Lines): Lines {
  if (given === 'separated') return 'stream'
  if (onlyChooses(words)) return given
  return isFilter(words) ? 'picked' : 'stream'
}

/** Whether a filter hands on some of the lines that it reads, as they are, by their place or order. */
export function onlyChooses([program = '', ...rest]: readonly string[]): boolean {
  if (!isSystemProgram(program)) return false
  const name = baseName(program)
  if (/^(?:head|tail)$/.test(name)) return /^(?:-n ?\+?\d+|-\d+)?$/.test(rest.join(' '))
  return /^(?:sort|uniq)$/.test(name) && rest.every((word) => /^-[urfV]+$/.test(word))
}

/** Whether a filter is `grep`, of the lines of the pipe and by one pattern alone. */
export function isFilter([program = '', ...rest]: readonly string[]): boolean {
  if (!isSystemProgram(program) || !/^[ef]?grep$/.test(baseName(program))) return false
  const [pattern, ...more] = rest.filter((word) => !word.startsWith('-'))
  const isPlain = rest.every((word) => !word.startsWith('-') || /^-[viEFPw]+$/.test(word))
  return isPlain && pattern !== undefined && more.length === 0
}
