import {
  isObjectKind,
  listedObjects,
  listsObjectRows,
  type ObjectKind,
  takenObjects,
} from './object-streams.ts'
import { onlyLints } from './programs/linters.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { scriptAt } from './words/file-globs.ts'

/**
 * How much is known of the lines that come through a pipe. `names`: files that a listing found, all or those of one kind.
 * `separated`: the same, with NUL between them, so that no name is two words to `xargs -0`. `started`: besides, each begins with a
 * written directory, so that none is an option. `picked`: names chosen by what stands in them. `rows`: the first word of each is
 * the name of an object. `stream`: anything. Objects are no files.
 */
export type LineTrust =
  | ObjectKind
  | 'stream'
  | 'rows'
  | 'picked'
  | 'names'
  | 'separated'
  | 'started'

/**
 * The knowledge that a program requires of the words it is given. `checked`: none is enough unless each name is checked before.
 */
export type RequiredTrust = LineTrust | 'checked'

/** Programs that only print their words. */
const showWords: ReadonlySet<string> = new Set(['echo', 'basename', 'dirname'])
/** Programs that show properties of files but no content. None of their options writes or runs anything. */
const describe: ReadonlySet<string> = new Set(
  'ls stat md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum'.split(' '),
)
/** Programs that show file content, and whose options read no other files. */
const show: ReadonlySet<string> = new Set('cat head tail nl tac'.split(' '))
/** Programs that show file content, and that options such as `--files0-from=…` or `-f…` make read other files. */
export const showByOption: ReadonlySet<string> = new Set('wc du grep egrep fgrep'.split(' '))
const ranks: Readonly<Record<RequiredTrust, number>> = {
  ...{
    stream: 0,
    rows: 0,
    ids: 0,
    hashes: 0,
    packages: 0,
    picked: 1,
    names: 2,
    separated: 3,
    started: 4,
    checked: 5,
  },
}

/** Whether this knowledge about lines is sufficient. */
export function isTrustedEnough(given: LineTrust, needed: RequiredTrust): boolean {
  return isObjectKind(needed) ? given === needed : ranks[given] >= ranks[needed]
}

/** The further words, options included, that a program may get; undefined: none that the text does not show. */
export function requiredTrust(words: readonly string[]): RequiredTrust | undefined {
  const [program = '', first = ''] = words
  if (!isSystemProgram(program)) return undefined
  const name = baseName(program)
  if (showWords.has(name) || (name === 'printf' && /^[^-{%]|^%[sd]/.test(first))) return 'stream'
  if (describe.has(name)) return 'picked'
  const objects = takenObjects(words)
  if (objects !== undefined) return objects
  if (show.has(name) || showByOption.has(name)) return 'names'
  return readsOperands(name, words.slice(1)) || onlyLints(words) ? 'checked' : undefined
}

/** Programs for which a line that is no option is a name of a host, whatever it holds. */
const asksNames = /^(?:dig|host|nslookup)$/

/** Whether further words that are whole names and not options are only read as files. */
function readsOperands(name: string, rest: readonly string[]): boolean {
  if (name === 'gofmt') return rest.every((word) => /^-[lds]$|^\{\}$/.test(word))
  if (name === 'rg') return rest.some((word) => !word.startsWith('-'))
  if (name === 'file')
    return rest.every((word) => /^-[bikL]+$|^--(?:brief|mime-type)$|^(?:\{\}|%)$/.test(word))
  const script = /^(?:sed|[gm]?awk|jq)$/.test(name) ? scriptAt(name, rest) : undefined
  return script !== undefined && !/^(?:\{\}|%)$/.test(rest[script] ?? '')
}

/** Whether a word of a command may be any name that is no option and is checked before: all it does with it is to read it. */
export function takesLine(words: readonly string[], at: number): boolean {
  const needs = requiredTrust(words.with(at, '{}'))
  if (needs === undefined)
    return asksNames.test(words[0] ?? '') && words.every((word) => !/^-[fk]/.test(word))
  return !isObjectKind(needs)
}

/** The lines that a command passes into a pipe. */
export function lineTrustOf(words: readonly string[], given?: LineTrust): LineTrust {
  const [program = '', ...rest] = words
  if (!isSystemProgram(program)) return 'stream'
  const name = baseName(program)
  if (given === 'rows') return words.join(' ') === 'awk {print $1}' ? 'ids' : 'stream'
  if (given !== undefined && isObjectKind(given))
    return onlyChooses(words) || isFilter(words) ? given : 'stream'
  if (given !== undefined && given !== 'stream') return filtered(words, given)
  const objects = listedObjects(words)
  if (objects !== undefined) return objects
  if (listsObjectRows(words)) return 'rows'
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

/** For `rg` and `grep`: an option that selects names other than by kind, or outside a directory. */
function choosesNames(word: string, at: number, words: readonly string[]): boolean {
  if (!/^-[A-Za-z]*g|^--(?:i?glob|include|exclude)/.test(word)) return false
  const glob = /^(?:-g|--glob=|--include=)(.+)$/.exec(word)?.[1]
  const isKind = /^\*\.\w+$/.test(glob ?? (word === '-g' ? (words[at + 1] ?? '') : ''))
  return !isKind && !/^--exclude-dir=[\w.-]+$/.test(word)
}

/** The output of `fd` limited to extensions and file types; a pattern would select names. */
function byKind(rest: readonly string[]): LineTrust {
  const [all, ...below] = rest.filter(
    (word, at) => !word.startsWith('-') && !/^-[et]$/.test(rest[at - 1] ?? ''),
  )
  if (all !== undefined && (all !== '.' || !below.every((word) => /^\w[\w./-]*$/.test(word))))
    return 'stream'
  const isPlain = rest.every(
    (word, at) =>
      word === all ||
      below.includes(word) ||
      /^-[HIadet]$|^--(?:hidden|type=\w+|extension=\w+)$/.test(word) ||
      (/^-[et]$/.test(rest[at - 1] ?? '') && /^\w+$/.test(word)),
  )
  return isPlain ? 'names' : 'stream'
}

function separated(lines: LineTrust, isNul: boolean): LineTrust {
  return lines === 'names' && isNul ? 'separated' : lines
}

/** Names printed by `find` start with its start directory. */
function started(lines: LineTrust, [start = '', ...rest]: readonly string[]): LineTrust {
  if (rest.includes('-print0') && choosesDirectories(rest)) return 'stream'
  return lines === 'names' && rest.includes('-print0') && /^[\w./]/.test(start) ? 'started' : lines
}

const ofGrep = /^-[rRliEFPwnhsIHxveZ]+$|^--(?:null|include=[\w.*/-]+|exclude(?:-dir)?=[\w.*/-]+)$/
const ofGit: Readonly<Record<string, RegExp>> = {
  'ls-files': /^-[cdmz]+$|^--(?:cached|modified|deleted|others|exclude-standard|full-name)?$/,
  diff: /^-[zM]+$|^--(?:name-only|cached|staged|diff-filter=[A-Za-z]+|no-renames|merge-base)?$/,
  grep: /^-[lwivFEPIz]+$|^-e$|^--(?:name-only|files-with-matches|cached)?$/,
}
/** Options of listing programs that only affect which names are printed, by name or content. */
const plainOptions: Readonly<Record<string, RegExp>> = {
  ls: /^-[1drtSUv]+$/,
  grep: ofGrep,
  egrep: ofGrep,
  fgrep: ofGrep,
  rg: /^-[liEFPwnNSsHe.0]+$|^-[tT]\w*$|^-g$|^--(?:files|hidden|no-ignore|null|sort=path|type(?:-not)?=\w+|i?glob=.+)$/,
  fd: /^-[HIadet]+$|^--(?:hidden|extension=\w+|type=\w+)$/,
}

/** Whether all options of a listing program are known; abbreviated ones are not. */
export function hasPlainOptions(name: string, rest: readonly string[]): boolean {
  const words = name === 'git' && rest[0] === '--no-pager' ? rest.slice(1) : rest
  const table = name === 'git' ? ofGit : plainOptions
  const key = name === 'git' ? (words[0] ?? '') : name
  const known = Object.hasOwn(table, key) ? table[key] : undefined
  return words.every((word) => !word.startsWith('-') || known?.test(word) === true)
}

/**
 * The output of `find`: `stream` if an option prints other text, runs or writes; `names` if all searched names are of one kind;
 * else `picked`.
 */
function found(rest: readonly string[]): LineTrust {
  if (rest.some((word) => /^-(?:printf|fprint|exec|ok|ls$|fls|delete|files0)/.test(word)))
    return 'stream'
  const isOfKind = (word: string, at: number): boolean =>
    !/^-i?(?:name|path|wholename|regex|lname)$/.test(rest[at - 1] ?? '') ||
    (leavesOut.test(word) && (isLeaving(rest, at) || /^-i?path$/.test(rest[at - 1] ?? ''))) ||
    /^\*\.\w+$|^[^*?[\\]+$/.test(word) ||
    ofCode.test(word)
  return rest.every(isOfKind) ? 'names' : 'picked'
}

function isLeaving(words: readonly string[], at: number): boolean {
  return /^(?:!|-not)$/.test(words[at - 2] ?? '')
}

/** Whether `find` takes only what lies in directories of some name, so that the names have to be checked. */
export function choosesDirectories(words: readonly string[]): boolean {
  return words.some(
    (word, at) =>
      /^-i?path$/.test(words[at - 1] ?? '') && leavesOut.test(word) && !isLeaving(words, at),
  )
}

/** Files of code of one sort, such as `*_test.go`. */
const ofCode = /^(?:\*[._-]\w+|\w+[._-]\*)\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|vue|svelte|css|md)$/

/** A directory with its content. */
const leavesOut = /^(?:\*\/|\.\/)?[\w./-]+\/\*$|^\*\/[\w.-]+$/

/** The names that git lists. Paths with wildcards other than of one kind select names, as do untracked files. */
function listed(rest: readonly string[]): LineTrust {
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

/** A filter that keeps lines whole. */
function filtered(words: readonly string[], given: LineTrust): LineTrust {
  if (given === 'separated' || given === 'started') return 'stream'
  if (onlyChooses(words)) return given
  return isFilter(words) ? 'picked' : 'stream'
}

/** `xargs grep -l x`: some of the names that it is given. */
export function choosesByContent(words: readonly string[]): boolean {
  const [program = '', ...rest] = words
  if (!isSystemProgram(program) || baseName(program) !== 'xargs') return false
  const at = rest.findIndex((word) => !/^-r$/.test(word))
  const options = rest.slice(at + 1).filter((word) => word.startsWith('-'))
  return (
    /^[ef]?grep$/.test(rest[at] ?? '') &&
    options.every((word) => /^-[lLiwEFP]+$/.test(word)) &&
    options.some((word) => /[lL]/.test(word)) &&
    rest.slice(at + 1).length === options.length + 1
  )
}

/** Whether a filter passes on some of its lines unchanged, selected by position or order. */
export function onlyChooses([program = '', ...rest]: readonly string[]): boolean {
  if (!isSystemProgram(program)) return false
  const name = baseName(program)
  if (/^(?:head|tail)$/.test(name)) return /^(?:-n ?\+?\d+|-\d+)?$/.test(rest.join(' '))
  return /^(?:sort|uniq)$/.test(name) && rest.every((word) => /^-[urfV]+$/.test(word))
}

/** Whether a filter is `grep` on the pipe's lines with exactly one pattern. */
export function isFilter([program = '', ...rest]: readonly string[]): boolean {
  if (!isSystemProgram(program) || !/^(?:[ef]?grep|rg)$/.test(baseName(program))) return false
  const [pattern, ...more] = rest.filter((word) => !word.startsWith('-'))
  const isPlain = rest.every((word) => !word.startsWith('-') || /^-[viEFPw]+$/.test(word))
  return isPlain && pattern !== undefined && more.length === 0
}
