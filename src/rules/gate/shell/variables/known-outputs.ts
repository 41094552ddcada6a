import type { Command, CommandExpansionPart, CommandNode, Word } from 'unbash'
import { listingText, plainCommand } from '../listings.ts'
import { type LineTrust, lineTrustOf } from '../name-streams.ts'
import { isObjectKind, type ObjectKind } from '../object-streams.ts'
import { commandWords } from '../words/command-words.ts'

/** The words that a substitution may give, as far as its commands tell. */
export interface KnownOutput {
  /** `files`: names that only the box can check. */
  readonly kind: 'files' | ObjectKind
  /** Bash expands it to at least these words; for files, the pipe that lists them and the literal end of the word. */
  readonly text: string
  /** It stands in double quotes and is one whole line of the listing. */
  readonly isLine: boolean
}

/** What follows a substitution in the same word, such as `..HEAD`; without output, `..` alone is the directory above. */
const end = /^(?:[~^]\d*)*(?:\.{2,3}[A-Za-z][\w/-]*|:\w[\w./-]*)?$/
/** `origin/$(git branch --show-current)`, `acme/api:$(git rev-parse --short HEAD)` */
const remote = /^(?:(?:origin|upstream|refs\/heads)\/|[a-z][\w./-]*:|[A-Za-z][\w./~^-]*\.{2,3})$/
const oneLine = /^(?:head|tail) (?:-n ?)?-?1$/

/** SHELL-12: the output of a word that is one `$(…)`; undefined for any other word, and if nothing is known of the output. */
export function knownOutput({ parts = [] }: Word): KnownOutput | undefined {
  const [first, ...more] = parts
  const quoted = first?.type === 'DoubleQuoted' ? first.parts : undefined
  const [last] = more
  // `main.."$(git rev-parse HEAD)"`
  const isBehind = first?.type === 'Literal' && more.length === 1 && last?.type === 'DoubleQuoted'
  const behindLiteral = isBehind ? [first, ...last.parts] : parts
  const all = quoted === undefined ? behindLiteral : [...quoted, ...more]
  const isRemote = all[0]?.type === 'Literal' && remote.test(all[0].text)
  const [part, ...rest] = isRemote ? all.slice(1) : all
  if (part?.type !== 'CommandExpansion' || !part.text.startsWith('$(')) return undefined
  const behind = rest.map(({ text }) => text).join('')
  if (rest.some(({ type }) => type !== 'Literal') || !end.test(behind)) return undefined
  const stages = stagesOf(part)
  if (stages === undefined) return undefined
  const objects = objectsOf(stages)
  const isImage = isRemote && all[0]?.text.endsWith(':') === true
  if (objects !== undefined)
    return { kind: isImage ? 'ids' : objects, text: part.text, isLine: false }
  if (isRemote) return undefined
  const isLine = quoted !== undefined
  const text = listingText(stages, false) ?? (isLine ? fileIn(stages) : undefined)
  if (text === undefined || (isLine && (behind !== '' || !endsInOneLine(stages)))) return undefined
  return { kind: 'files', text: isLine ? text : `$(${text})${behind}`, isLine }
}

/** The parts of the only pipe in a substitution. */
function stagesOf({ script }: CommandExpansionPart): readonly CommandNode[] | undefined {
  const [statement, ...others] = script?.commands ?? []
  if (statement === undefined || others.length > 0 || statement.background === true)
    return undefined
  const { command } = statement
  if (command.type === 'Command') return [command]
  const isPlain = command.type === 'Pipeline' && command.prefixes.length === 0
  return isPlain && command.operators.every((sign) => sign === '|') ? command.commands : undefined
}

function objectsOf(stages: readonly CommandNode[]): ObjectKind | undefined {
  const commands = stages.map(plainCommand)
  if (!commands.every((command) => command !== undefined)) return undefined
  const trust = commands.reduce<LineTrust | undefined>(
    (given, command: Command) => lineTrustOf(commandWords(command), given),
    undefined,
  )
  return trust !== undefined && isObjectKind(trust) ? trust : undefined
}

/** `cat FILE | head -n 1`: a line of a file that its name tells. */
function fileIn([first, ...others]: readonly CommandNode[]): string | undefined {
  const command = first === undefined ? undefined : plainCommand(first)
  const text = command === undefined ? '' : commandWords(command).join(' ')
  return others.length === 1 && /^cat (?:\.\/)?\w[\w./-]*$/.test(text) ? text : undefined
}

function endsInOneLine(stages: readonly CommandNode[]): boolean {
  const last = stages.at(-1)
  return last?.type === 'Command' && oneLine.test(commandWords(last).join(' '))
}
