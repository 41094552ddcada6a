import type { PageNode } from './page-node.ts'

/** Elements whose content is none that a reader sees. */
const unseen: ReadonlySet<string> = new Set(
  'script style template head svg math iframe object embed canvas audio video map datalist noframes'.split(
    ' ',
  ),
)
const hiding = /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)/i

/** WEB-01: whether an element is for reading; what a page hides is left out, as far as its own attributes tell. */
export function isShown({ name = '', attribs = {} }: PageNode): boolean {
  if (unseen.has(name)) return false
  if (attribs['hidden'] !== undefined || attribs['aria-hidden'] === 'true') return false
  if (name === 'dialog' && attribs['open'] === undefined) return false
  return !hiding.test((attribs['style'] ?? '').slice(0, 2_000))
}
