import type { Command, CommandNode, Word } from 'unbash'
import { hasPlainOptions, isFilter, linesOf, onlyChooses } from './name-streams.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { isSilencing } from './redirections.ts'
import { commandWords } from './words/command-words.ts'

const maxCharacters = 2_000
const maxStages = 20

/**
 * SHELL-04: a text that prints every line which a row of commands in a pipe may hand on, and the same whenever it runs while no
 * file changes, with a NUL behind each name or none; undefined where that is not known. Parts that only choose among lines by place or order are left out.
 */
export function listingText(stages: readonly CommandNode[], isNul: boolean): string | undefined {
  // No filter keeps names whole that a NUL ends.
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

/** A command of literal words and wildcards alone, whose input and output are the pipe's. */
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

/** Names for points in time: what they choose changes while no file does. */
const byTime = /^-(?:a(?:min|time|newer)|newer.*|used)$|@\{/
/** Ages; what is younger than one is only less a moment later, unless something else decides too. */
const byAge = /^-[cm](?:min|time)$/
const decides = /^(?:!|-not|[(,]|-o|-or|-prune|-quit)$/

/** `grep '\\.ts$'` and `grep -v x`: what chooses among names by anything else asks. */
function keepsKinds(words: readonly string[]): boolean {
  const isKind = words.some((word) => ofKinds.test(word))
  return isFilter(words) && (isKind || words.some((word) => /^-[a-zA-Z]*v/.test(word)))
}

/** Endings of source code and texts, of which rules for secrets speak by no ending. */
const kind =
  '(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kt|rb|php|cs?|h|cc|cpp|hpp|swift|sh|sql|mdx?|txt|json|ya?ml|toml|s?css|html|csv|log)'
const ofKinds = new RegExp(`^(?:\\\\\\.${kind}|\\\\\\.\\(${kind}(?:\\|${kind})*\\))\\$$`)

/** Whether a command prints names that it finds, all or those of a kind, and the same again while no file changes. */
function isLister(words: readonly string[], isNul: boolean): boolean {
  const [program = '', ...rest] = words
  if (!isSystemProgram(program) || rest.some((word) => byTime.test(word))) return false
  const name = baseName(program)
  if (!(isNul ? /^(?:separated|started)$/ : /^names$/).test(linesOf(words))) return false
  if (name === 'find') {
    const hasAge = rest.some((word) => byAge.test(word))
    const isFewer = rest.every((word, at) => !byAge.test(word) || rest[at + 1]?.startsWith('-'))
    return !hasAge || (isFewer && !rest.some((word) => decides.test(word)))
  }
  return hasPlainOptions(name, rest)
}
