import type { Command, CommandNode, Redirection as Node, Redirect, Word } from 'unbash'
import type { Redirection } from './analysis.ts'
import {
  choosesByContent,
  hasPlainOptions,
  isFilter,
  lineTrustOf,
  onlyChooses,
} from './name-streams.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { commandWords } from './words/command-words.ts'
import { isGlob, maxGlobCharacters, openedShape } from './words/file-globs.ts'
import { documentHazard } from './words/here-document.ts'
import { knownWord, numberOf } from './words/known-word.ts'
import { isLiteralWord } from './words/word-hazards.ts'

const freeTargets: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

const maxCharacters = 2_000

const maxStages = 20

/**
 * SHELL-04: a text that prints every line that a pipe of commands may pass on, NUL-terminated if `isNul`, with the same result
 * each time while no file changes; undefined if that is not certain. Parts that only select lines by position or order are left
 * out.
 */
export function listingText(stages: readonly CommandNode[], isNul: boolean): string | undefined {
  // No filter keeps NUL-terminated names whole.
  if (stages.length > (isNul ? 1 : maxStages)) return undefined
  const [lister, ...filters] = stages.map(plainCommand)
  if (lister === undefined || !isLister(commandWords(lister), isNul)) return undefined
  const kept = [lister]
  for (const filter of filters) {
    if (filter === undefined) return undefined
    const words = commandWords(filter)
    if (keepsKinds(words)) kept.push(filter)
    else if (!onlyChooses(words) && !choosesByContent(words)) return undefined
  }
  const text = kept.map(textOf).join(' | ')
  return text.length > maxCharacters ? undefined : text
}

/** A command of literal words and wildcards only, which uses the pipe's input and output. */
export function plainCommand(node: CommandNode): Command | undefined {
  if (node.type !== 'Command' || node.name === undefined || node.prefix.length > 0) return undefined
  const isPlain = node.suffix.every((part) => part.type !== 'Word' || isFixed(part))
  return isPlain && node.redirects.every(isSilencing) ? node : undefined
}

function isFixed({ parts = [] }: Word): boolean {
  return parts.every(
    (part) =>
      /^(?:Literal|SingleQuoted|Glob)$/.test(part.type) ||
      (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal')),
  )
}

function textOf({ name, suffix }: Command): string {
  return [name, ...suffix].flatMap((part) => (part?.type === 'Word' ? part.text : [])).join(' ')
}

/** Options with points in time: their selection changes while no file does. */
const byTime = /^-(?:a(?:min|time|newer)|newer.*|used)$|@\{/

/** Ages: a maximum age only matches fewer files as time passes, unless another condition decides too. */
const byAge = /^-[cm](?:min|time)$/

const decides = /^(?:!|-not|[(,]|-o|-or|-prune|-quit)$/

/** `grep '\\.ts$'` and `grep -v x`; selecting names by anything else asks. */
function keepsKinds(words: readonly string[]): boolean {
  const isKind = words.some((word) => ofKinds.test(word))
  return isFilter(words) && (isKind || words.some((word) => /^-[a-zA-Z]*v/.test(word)))
}

/** Extensions of source code and text, which rules for secrets do not match by extension. */
const kind =
  '(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kt|rb|php|cs?|h|cc|cpp|hpp|swift|sh|sql|mdx?|txt|json|ya?ml|toml|s?css|html|csv|log|proto|graphql|tf|xml|gradle|exs?|dart|scala|sol|snap)'

/** A pattern for names that end in one of these extensions. */
export const ofKinds = new RegExp(
  `^(?:\\\\\\.(?:${kind}|[tj]sx\\?|ya\\?ml)|\\\\\\.\\(${kind}(?:\\|${kind})*\\))\\$$`,
)

/** Whether a command prints file names it finds, all or those of a kind, with the same result while no file changes. */
function isLister(words: readonly string[], isNul: boolean): boolean {
  const [program = '', ...rest] = words
  if (!isSystemProgram(program) || rest.some((word) => byTime.test(word))) return false
  const name = baseName(program)
  if (!(isNul ? /^(?:separated|started)$/ : /^names$/).test(lineTrustOf(words))) return false
  if (name === 'find') {
    const hasAge = rest.some((word) => byAge.test(word))
    const isFewer = rest.every((word, at) => !byAge.test(word) || rest[at + 1]?.startsWith('-'))
    return !hasAge || (isFewer && !rest.some((word) => decides.test(word)))
  }
  return hasPlainOptions(name, rest)
}

/** SHELL-06: the file accesses of a redirection; empty for descriptor copies and the null device. */
export function redirectionsOf(node: Redirect): readonly Redirection[] {
  const path = node.target?.value
  if (isFree(node)) return []
  if (node.operator === '<' || node.operator === '<&') return [{ use: 'read', path }]
  const write: Redirection = { use: 'write', path }
  return node.operator === '<>' ? [{ use: 'read', path }, write] : [write]
}

/** The wildcard of `< *.csv`: one of its names is read. */
export function readGlob(node: Node): string | undefined {
  if (node.type !== 'Redirect' || node.operator !== '<' || node.target === undefined)
    return undefined
  const { target, descriptor } = node
  const isPlain =
    isGlob(target) && target.text.length <= maxGlobCharacters && descriptor === undefined
  return isPlain && openedShape.test(target.text) ? target.text : undefined
}

/** The reason why a redirection cannot be evaluated by its file; undefined if the rules for files apply. */
export function redirectionHazard(node: Node): string | undefined {
  if (node.type === 'HereDoc') return documentHazard(node)
  if (node.type !== 'Redirect') return 'it holds a here-string'
  if (node.descriptor?.type === 'FileDescriptorVariable')
    return 'it redirects by a descriptor that it names itself'
  if (isFree(node) || readGlob(node) !== undefined) return undefined
  const { target, operator } = node
  const isDescriptor = operator === '<&' || (operator === '>&' && /^[\d-]/.test(target?.text ?? ''))
  if (target === undefined || isDescriptor || !isPlainTarget(target))
    return 'it redirects to or from a file that its text does not name'
  return undefined
}

/** `logs/$(date +%F).log`: digits take the place of the substitution. */
function isPlainTarget(target: Word): boolean {
  const { word = target, substitutions = [] } = knownWord(target) ?? {}
  if (!substitutions.every((part) => numberOf(part) !== undefined)) return false
  const value = substitutions.reduce((text, part) => text.replace(part.text, ''), word.value)
  return isLiteralWord(word) && isPlainPath({ text: word.text, value })
}

/** `~` means the home directory only if it is not quoted. */
function isPlainPath({ text, value }: { readonly text: string; readonly value: string }): boolean {
  if (value === '' || value.includes('$') || value.includes('\n')) return false
  return !value.startsWith('~') || text.startsWith('~/')
}

function isFree({ operator, target }: Redirect): boolean {
  if (target === undefined) return false
  if (operator === '>&' || operator === '<&') {
    if (/^(?:\d{1,2}|-)$/.test(target.text)) return true
  }
  return freeTargets.has(target.text)
}

/** Whether a redirection only discards errors: `2>/dev/null`. */
export function isSilencing(node: Node): boolean {
  const { descriptor } = node
  const isError = descriptor?.type === 'FileDescriptor' && descriptor.value === 2
  return (
    node.type === 'Redirect' &&
    node.operator === '>' &&
    isError &&
    node.target?.text === '/dev/null'
  )
}
