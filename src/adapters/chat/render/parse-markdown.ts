import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { isHeavy } from './is-heavy.ts'

/** GitHub's markdown as a tree; undefined where it is too long, dense or deep to be worth it: show it as it is. */
export function parseMarkdown(markdown: string): Root | undefined {
  if (isHeavy(markdown)) return undefined
  try {
    return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  } catch {
    return undefined
  }
}
