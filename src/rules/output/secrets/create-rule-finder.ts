import type { SecretSpan } from '../secret-shapes.ts'
import { createKeywordIndex, type TextPart } from './keyword-index.ts'
import type { SecretRule } from './secret-rule.ts'

/**
 * Finds what any of the rules finds whose keyword stands in one of the parts, in one pass; the parts are in order. Spans
 * may overlap, and come in the rules' order.
 */
export function createRuleFinder(
  rules: readonly SecretRule[],
): (text: string, parts: readonly TextPart[]) => readonly SecretSpan[] {
  const index = createKeywordIndex(
    rules.flatMap(({ keywords }, id) => keywords.map((keyword) => [id, keyword] as const)),
  )
  return (text, parts) => {
    const ends = new Uint32Array(rules.length)
    const found: Found[] = []
    const ask = (id: number, at: number): void => {
      const match = rules[id]?.find(text, at, ends[id] ?? 0)
      if (match === undefined) return
      ends[id] = match.end
      for (const span of match.spans) found.push({ id, span })
    }
    for (const part of parts) index.scan(text, part, ask)
    return found.sort((a, b) => a.id - b.id).map(({ span }) => span)
  }
}

interface Found {
  readonly id: number
  readonly span: SecretSpan
}
