import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

const maxLength = 100_000

/** GitHub's markdown as a tree; undefined where it is too long or too deep to be worth it: show it as it is. */
export function parseMarkdown(markdown: string): Root | undefined {
  if (markdown.length > maxLength) return undefined
  try {
    return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  } catch {
    return undefined
  }
}
