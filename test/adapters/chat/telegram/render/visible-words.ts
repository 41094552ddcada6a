import type { Nodes } from 'mdast'
import { toPrintable } from '../../../../../src/adapters/chat/render/printable.ts'
import { parseMarkdown } from '../../../../../src/adapters/chat/render/render-markdown.ts'

/** The words that a person would miss if they were not shown, in their order. */
export function visibleWords(markdown: string): string[] {
  const tree = parseMarkdown(markdown)
  const texts = tree === undefined ? [markdown] : textsOf(tree)
  return (
    texts
      .flatMap((text) => toPrintable(text).split(/[\s\u2800]+/))
      // What shows nothing at all is no word; a message of it alone is left out, since Telegram refuses it.
      .filter((word) => /[^\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(word))
  )
}

function textsOf(node: Nodes): string[] {
  if (node.type === 'definition') return []
  if ('children' in node) return node.children.flatMap(textsOf)
  if ('value' in node) return [node.value]
  return 'alt' in node ? [node.alt ?? ''] : []
}
