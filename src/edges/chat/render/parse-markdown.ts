import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

const maxLength = 32_000
const maxMarks = 400
const maxNesting = 40
const fence = /^```[^`\n]*\n[\s\S]*?^`{3,}[ \t]*$/gm

/** GitHub's markdown as a tree; undefined where it is too long, dense or deep to be worth it: show it as it is. */
export function parseMarkdown(markdown: string): Root | undefined {
  if (isHeavy(markdown)) return undefined
  try {
    return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  } catch {
    return undefined
  }
}

/**
 * The parser's time grows with the square of the marks in a paragraph and of the lists and quotes in one another: 30 KB
 * of `*a_` would hold up the process for minutes. Code between fences costs nothing and is not counted.
 */
function isHeavy(markdown: string): boolean {
  if (markdown.length > maxLength) return true
  const prose = markdown.replaceAll(fence, '\n\n')
  return (
    prose.split(/\n[ \t]*\n/).some((paragraph) => count(paragraph, /[*_~[\]]/g) > maxMarks) ||
    prose.split('\n').some((line) => nesting(line) > maxNesting)
  )
}

/** How many quotes and list items a line may open. */
function nesting(line: string): number {
  const [opening = ''] = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))*/.exec(line) ?? []
  const indents = /^[ \t]*/.exec(line)?.[0].length ?? 0
  return count(opening, /[-+*>.)]/g) + indents / 2
}

function count(text: string, mark: RegExp): number {
  return text.match(mark)?.length ?? 0
}
