import { type Node, type ParseError, parseTree } from 'jsonc-parser'

/** JSON with comments as a tree; no root: the text is empty, or nested too deeply for the parser's stack. */
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

/** Replaces a byte order mark, which some editors write, by a space, so that lines and offsets do not change. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text
}
