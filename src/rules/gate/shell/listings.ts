import type { Command, CommandNode, Word } from 'unbash'
import { hasPlainOptions, isFilter, lineTrustOf, onlyChooses } from './name-streams.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { isSilencing } from './redirections.ts'
import { commandWords } from './words/command-words.ts'

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
    else if (!onlyChooses(words)) return undefined
  }
  const text = kept.map(textOf).join(' | ')
  return text.length > maxCharacters ? undefined : text
}

/** A command of literal words and wildcards only, which uses the pipe's input and output. */
function plainCommand(node: CommandNode): Command | undefined {
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
  '(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kt|rb|php|cs?|h|cc|cpp|hpp|swift|sh|sql|mdx?|txt|json|ya?ml|toml|s?css|html|csv|log)'
const ofKinds = new RegExp(`^(?:\\\\\\.${kind}|\\\\\\.\\(${kind}(?:\\|${kind})*\\))\\$$`)

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
