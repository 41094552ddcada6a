import type { ParsedScript, SyntaxNode, Word } from 'unbash'
import { nodesOf } from './variables/variable-places.ts'

const list =
  /^((?:[\w./@+=*-]|\[[\w-]+\])*)\{((?:[\w.-]+,)+[\w.-]+)\}((?:[\w./@+=*-]|\[[\w-]+\])*)$/
const maxChoices = 12

/**
 * SHELL-12: a script with the words of a brace list that holds a wildcard too written out, as bash does before it looks for files:
 * `src/*.{ts,tsx}` is `src/*.ts src/*.tsx`. Undefined if there is none.
 */
export function writeOutBraces(script: ParsedScript, text: string): string | undefined {
  if (!/\{[^{}\n]*,/.test(text)) return undefined
  let result = ''
  let at = 0
  for (const word of nodesOf(script).flatMap(wordsOf)) {
    const words = expanded(word)
    if (words === undefined || word.pos < at) continue
    result += text.slice(at, word.pos) + words.join(' ')
    at = word.end
  }
  return at === 0 ? undefined : result + text.slice(at)
}

function wordsOf(node: SyntaxNode): readonly Word[] {
  if (node.type === 'For') return node.wordlist ?? []
  return node.type === 'Command' ? node.args.filter((part) => part.type === 'Word') : []
}

function expanded({ text, parts = [] }: Word): readonly string[] | undefined {
  const kinds = new Set(parts.map(({ type }) => type))
  if (!kinds.has('BraceExpansion') || !/[*[]/.test(text)) return undefined
  if (![...kinds].every((kind) => /^(?:Literal|Glob|BraceExpansion)$/.test(kind))) return undefined
  const [, before = '', choices = '', after = ''] = list.exec(text) ?? []
  const all = choices === '' ? [] : choices.split(',')
  // A list at the beginning of a word could make it anything.
  return before !== '' && all.length > 0 && all.length <= maxChoices
    ? all.map((choice) => before + choice + after)
    : undefined
}
