import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { isHeavy } from './is-heavy.ts'

/** Parses GitHub-flavoured markdown; undefined if it is too expensive to parse, and should be shown as plain text. */
export function parseMarkdown(markdown: string): Root | undefined {
  if (isHeavy(markdown)) return undefined
  try {
    return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  } catch {
    return undefined
  }
}
