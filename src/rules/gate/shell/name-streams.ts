import { listsIds, showsObjects } from './object-streams.ts'
import { commandAt, type WrapperWords } from './plain-wrappers.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { scriptAt } from './words/file-globs.ts'

/**
 * How much is known of the lines that come through a pipe. `names`: files that a listing found, all or those of one kind.
 * `separated`: the same, with NUL between them, so that no name is two words to `xargs -0`. `started`: besides, each begins with a
 * written directory, so that none is an option. `ids`: of containers and the like, which are no files. `picked`: names chosen by what stands in them. `stream`: anything.
 */
export type Lines = 'stream' | 'ids' | 'picked' | 'names' | 'separated' | 'started'

/** What a program that is given words must know of them. `checked`: nothing is enough, unless each was looked at before. */
type Needed = Lines | 'checked'

/** Programs that show their words and nothing else, whatever they are. */
const showWords: ReadonlySet<string> = new Set(['echo', 'basename', 'dirname'])
/** Programs that say something about files, and nothing that stands in them. No option of theirs writes or runs anything. */
const describe: ReadonlySet<string> = new Set(
  'ls stat md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum'.split(' '),
)
/** Programs that show what stands in files, and read no other file by an option. */
const show: ReadonlySet<string> = new Set('cat head tail nl tac'.split(' '))
/** Programs that show what stands in files, and by an option such as `--files0-from=…` or `-f…` in others. */
const showByOption: ReadonlySet<string> = new Set('wc du grep egrep fgrep'.split(' '))
/** Programs that only read, as long as none of their words is an option that nobody knows. No operand of theirs is a script. */
const showOperands: ReadonlySet<string> = new Set(['file', 'strings'])

const ranks: Readonly<Record<Needed, number>> = {
  ...{ stream: 0, ids: 0, picked: 1, names: 2, separated: 3, started: 4, checked: 5 },
}

/** Whether lines of which so much is known are enough. */
export function isEnough(given: Lines, needed: Needed): boolean {
  return needed === 'ids' ? given === needed : ranks[given] >= ranks[needed]
}

/** What a program may be given as further words, options among them; undefined: nothing that the text does not tell. */
function neededBy(words: readonly string[]): Needed | undefined {
  const [program = '', first = ''] = words
  if (!isSystemProgram(program)) return undefined
  const name = baseName(program)
  if (showWords.has(name) || (name === 'printf' && /^[^-{%]|^%[sd]/.test(first))) return 'stream'
  if (describe.has(name)) return 'picked'
  if (showsObjects(words)) return 'ids'
  if (show.has(name) || showByOption.has(name)) return 'names'
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
  /** Whether it takes words to end at NUL alone. */
  readonly isNul: boolean
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
  // Of several it takes the last, or none as it was meant.
  if (!isUnambiguous(options)) return undefined
  const isNul = options.some((word) => endsByNul.test(word))
  const needs = known === 'names' ? neededToShow(command, isNul) : known
  const replaced = placeOf(options)
  // A line that is a part of a word becomes another name: `%env` is `.env` for the line `.`.
  const isWhole = (word: string) =>
    replaced === undefined || word === replaced || !word.includes(replaced)
  if (needs !== 'stream' && !command.every(isWhole)) return undefined
  return { command, needs, isSplit: !isNul && !options.some(isOtherDelimiter), isNul }
}

/** What `-I` has replaced by a line. */
function placeOf(options: readonly string[]): string | undefined {
  const at = options.findIndex((word) => replaces.test(word))
  return at === -1 ? undefined : (/I(.+)$/.exec(options[at] ?? '')?.[1] ?? options[at + 1])
}

/** Without NUL it splits lines at blanks and quotes, so that a name may become a path outside. */
function neededToShow([program = '']: readonly string[], isNul: boolean): Needed {
  if (!isNul) return 'checked'
  return showByOption.has(baseName(program)) ? 'started' : 'separated'
}

const endsByNul = /^-[rtx]*0|^--null$/
const replaces = /^-[0rtx]*I/
const endsLines = /^-[0rtx]*[nL]|^--max-args/
const delimits = /^-d|^--delimiter/

/** Whether no two options say where a word ends, what is replaced by a line, or how many lines a command gets. */
function isUnambiguous(options: readonly string[]): boolean {
  const count = (pattern: RegExp) => options.filter((word) => pattern.test(word)).length
  return count(replaces) + count(endsLines) <= 1 && count(endsByNul) + count(delimits) <= 1
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
  if (given === 'ids') return onlyChooses(words) ? given : 'stream'
  if (given !== undefined && given !== 'stream') return filtered(words, given)
  if (listsIds(words)) return 'ids'
  if (name === 'find') return started(found(rest), rest)
  const isPlain = hasPlainOptions(name, rest)
  if (name === 'git')
    return separated(listed(rest), isPlain && rest.some((word) => /^-[a-zA-Z]*z$/.test(word)))
  if (name === 'fd') return byKind(rest)
  if (name === 'ls')
    return rest.some((word) => /^-[A-Za-z]*[aAlsinoQgmf]|^--/.test(word)) ? 'stream' : 'names'
  const isNul = isPlain && rest.some((word) => /^-[A-Za-z]*[Z0]|^--null$/.test(word))
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

/** Names that `find` prints begin with the directory that it starts from. */
function started(lines: Lines, [start = '', ...rest]: readonly string[]): Lines {
  return lines === 'names' && rest.includes('-print0') && /^[\w./]/.test(start) ? 'started' : lines
}

const ofGrep = /^-[rRliEFPwnhsIHxveZ]+$|^--(?:null|include=[\w.*/-]+|exclude(?:-dir)?=[\w.*/-]+)$/
const ofGit: Readonly<Record<string, RegExp>> = {
  'ls-files': /^-[cdmz]+$|^--(?:cached|modified|deleted|others|exclude-standard|full-name)?$/,
  diff: /^-[zM]+$|^--(?:name-only|cached|staged|diff-filter=[A-Za-z]+|no-renames|merge-base)?$/,
  grep: /^-[lwivFEPIz]+$|^-e$|^--(?:name-only|files-with-matches|cached)?$/,
}
/** Options of programs that list names, which change nothing but which are printed, by what files are called or hold. */
const plainOptions: Readonly<Record<string, RegExp>> = {
  ls: /^-[1drtSUv]+$/,
  grep: ofGrep,
  egrep: ofGrep,
  fgrep: ofGrep,
  rg: /^-[liEFPwnNSsHe.0]+$|^-[tT]\w*$|^-g$|^--(?:files|hidden|no-ignore|null|sort=path|type(?:-not)?=\w+|i?glob=.+)$/,
  fd: /^-[HIadet]+$|^--(?:hidden|extension=\w+|type=\w+)$/,
}

/** Whether every option of a program that lists names is known. Abbreviated ones are not. */
export function hasPlainOptions(name: string, rest: readonly string[]): boolean {
  const words = name === 'git' && rest[0] === '--no-pager' ? rest.slice(1) : rest
  const table = name === 'git' ? ofGit : plainOptions
  const key = name === 'git' ? (words[0] ?? '') : name
  const known = Object.hasOwn(table, key) ? table[key] : undefined
  return words.every((word) => !word.startsWith('-') || known?.test(word) === true)
}

/** Of `find` all but what prints something else than names, or runs and writes; a name that is looked for is one of a kind. */
function found(rest: readonly string[]): Lines {
  if (rest.some((word) => /^-(?:printf|fprint|exec|ok|ls$|fls|delete|files0)/.test(word)))
    return 'stream'
  const isOfKind = (word: string, at: number): boolean =>
    !/^-i?(?:name|path|wholename|regex|lname)$/.test(rest[at - 1] ?? '') ||
    (/^(?:!|-not)$/.test(rest[at - 2] ?? '') && leavesOut.test(word)) ||
    /^\*\.\w+$|^[^*?[\\]+$/.test(word)
  return rest.every(isOfKind) ? 'names' : 'picked'
}

/** A folder with all that is in it. */
const leavesOut = /^(?:\*\/|\.\/)?[\w./-]+\/\*$|^\*\/[\w.-]+$/

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
  if (given === 'separated' || given === 'started') return 'stream'
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
