import { type Node, type ParseError, parseTree } from 'jsonc-parser'

/** JSON with comments as a tree; no root: there is nothing, or it is nested so deep that the parser has no stack left. */
export interface RulesTree {
  readonly root: Node | undefined
  readonly errors: readonly ParseError[]
}

/** Never throws. */
export function parseRulesTree(text: string): RulesTree {
  const errors: ParseError[] = []
  try {
    return { root: parseTree(text, errors, { allowTrailingComma: true }), errors }
  } catch {
    return { root: undefined, errors }
  }
}

/** Some editors put a mark before UTF-8; as a space it changes no line and no offset. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text
}
