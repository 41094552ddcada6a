import { ofKinds } from './listings.ts'
import {
  choosesDirectories,
  isTrustedEnough,
  type LineTrust,
  lineTrustOf,
  requiredTrust,
} from './name-streams.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'

/** Programs that only read if they get no unknown option. None of their operands is a script. */
const showOperands: ReadonlySet<string> = new Set(['file', 'strings'])

/** The commands that `find -exec` runs on the files it finds, if they only read them. A found name is never an option. */
export function parseFindExec(
  words: readonly string[],
): readonly (readonly string[])[] | undefined {
  const [program = '', start = ''] = words
  if (!isSystemProgram(program) || baseName(program) !== 'find') return undefined
  // Without a start directory GNU's find takes the current one, and BSD's refuses these options.
  if (!/^[\w./]|^-(?:i?name|i?path|type|(?:max|min)depth|size|mtime|mmin|newer)$/.test(start))
    return undefined
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
  const found = choosesDirectories(rest) ? 'stream' : lineTrustOf(rest)
  const lines = found === 'picked' && pickedNames(words) !== undefined ? 'names' : found
  const areKnown = commands.every((command) => isOverFound(command, lines))
  return commands.length > 0 && areKnown ? commands : undefined
}

/**
 * The command that `fd -x` or `fd -X` runs on the files it finds, if it only reads them. Without a place for the name it stands
 * last; a found name begins with `./` or a written directory, so that it is never an option.
 */
export function parseFdExec(words: readonly string[]): readonly (readonly string[])[] | undefined {
  const [program = ''] = words
  if (!isSystemProgram(program) || !/^fd(?:find)?$/.test(baseName(program))) return undefined
  const at = words.findIndex((word) => /^(?:-[xX]|--exec|--exec-batch)$/.test(word))
  const given = words.slice(at + 1)
  const command = given.at(-1) === ';' ? given.slice(0, -1) : given
  const odd = command.some((word) => /^[;+]$/.test(word) || /\{[/.]/.test(word))
  if (at === -1 || odd || command.length === 0) return undefined
  const whole = command.includes('{}') ? command : [...command, '{}']
  return isOverFound(whole, foundByFd(words.slice(1, at))) ? [whole] : undefined
}

/** `fd -e ts`, `fd -t f . src`, `fd '\\.ts$' src`: files of text by their kind. */
function foundByFd(rest: readonly string[]): LineTrust {
  const [pattern = '', ...others] = rest.filter(
    (word, at) => !word.startsWith('-') && !/^-[et]$/.test(rest[at - 1] ?? ''),
  )
  const isKind = ofKinds.test(pattern)
  const words = isKind ? rest.map((word) => (word === pattern ? '.' : word)) : rest
  const kinds = rest.filter((_, at) => /^-e$/.test(rest[at - 1] ?? ''))
  const areText = kinds.every((kind) => ofText.test(`.${kind}`))
  // A link may lead to any file.
  const isFile = rest.every(
    (word, at) => !/^-t$/.test(rest[at - 1] ?? '') || /^f(?:ile)?$/.test(word),
  )
  const leadsOn = rest.some((word) => /^--type=(?!f(?:ile)?$)/.test(word))
  return areText && isFile && !leadsOn && others.length < 4
    ? lineTrustOf(['fd', ...words])
    : 'stream'
}

/**
 * The patterns by which `find` picks names, for rules to be compared with; undefined if it does so by anything else.
 */
export function pickedNames(words: readonly string[]): readonly string[] | undefined {
  if (
    words.some(
      (word) => /^-i?(?:path|wholename|regex|lname)$/.test(word) && !isLeftOut(word, words),
    )
  )
    return undefined
  const patterns = words.filter((_, at) => /^-i?name$/.test(words[at - 1] ?? ''))
  const isPlain = patterns.every(
    (pattern) => /^(?!\.)[\w.*-]+$/.test(pattern) && isSpelled(pattern),
  )
  return patterns.length > 0 && isPlain ? patterns.filter((name) => name.includes('*')) : undefined
}

/** Whether a pattern names files of code or text of one kind, by four letters at least, or documents of a well-known name. */
function isSpelled(pattern: string): boolean {
  if (/^(?:Dockerfile|Containerfile|Makefile|README|CHANGELOG|LICENSE)\*$/i.test(pattern))
    return true
  const pieces = pattern.split('*').filter(Boolean)
  return ofText.test(pattern) && pieces.every((piece) => piece.length > 3 || /^\.\w+$/.test(piece))
}

const ofText =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kt|rb|php|cs?|h|cc|cpp|hpp|swift|sh|sql|mdx?|txt|json|ya?ml|toml|s?css|html|csv|log)$/

/** Whether each such test is one that leaves names out. */
function isLeftOut(test: string, words: readonly string[]): boolean {
  return words.every((word, at) => word !== test || /^(?:!|-not)$/.test(words[at - 1] ?? ''))
}

function isOverFound(command: readonly string[], lines: LineTrust): boolean {
  const name = baseName(command[0] ?? '')
  const isPlain = command.every((word, at) => !word.includes('{}') || (at > 0 && word === '{}'))
  const isOperand = showOperands.has(name) && isSystemProgram(command[0] ?? '')
  const needs = requiredTrust(command) ?? (isOperand ? 'names' : undefined)
  // A found name is one word, so that it need not be checked.
  const own = needs === 'checked' ? 'names' : needs
  return isPlain && command.includes('{}') && own !== undefined && isTrustedEnough(lines, own)
}
