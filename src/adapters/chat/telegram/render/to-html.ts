import type { Marks, Run } from '../../render/runs/run.ts'

/** Opening and closing tag of an entity. */
export interface Tag {
  readonly open: string
  readonly close: string
}

const quote: Tag = { open: '<blockquote>', close: '</blockquote>' }
/** Shows three lines until it is tapped (Bot API 7.4). Clients do not fold `pre`, so its text is inline code. */
const foldedQuote: Tag = { open: '<blockquote expandable>', close: '</blockquote>' }
const pre: Tag = { open: '<pre>', close: '</pre>' }
const inlineCode: Tag = { open: '<code>', close: '</code>' }
const bold: Tag = { open: '<b>', close: '</b>' }
const italic: Tag = { open: '<i>', close: '</i>' }
const strike: Tag = { open: '<s>', close: '</s>' }

/**
 * The entities of a run, outermost first. Code excludes all others except an enclosing quote
 * (https://core.telegram.org/bots/api#formatting-options).
 */
export function tagsOf(marks: Marks): Tag[] {
  const outer = outerTags(marks)
  if (marks.folded === true) return [foldedQuote, inlineCode]
  if (marks.pre !== undefined) return [...outer, preOf(marks.pre)]
  if (marks.code === true) return [...outer, inlineCode]
  return [
    ...outer,
    ...(marks.href === undefined ? [] : [linkTo(marks.href)]),
    ...(marks.bold === true ? [bold] : []),
    ...(marks.italic === true ? [italic] : []),
    ...(marks.strike === true ? [strike] : []),
  ]
}

function outerTags({ details, quote: isQuote }: Marks): Tag[] {
  if (details === true) return [foldedQuote]
  return isQuote === true ? [quote] : []
}

/** Renders runs for the HTML parse mode. */
export function toHtml(runs: readonly Run[]): string {
  let html = ''
  let open: readonly Tag[] = []
  for (const { text, marks } of runs) {
    if (text === '') continue
    const tags = tagsOf(marks)
    const kept = sharedTags(open, tags)
    html += closing(open.slice(kept)) + opening(tags.slice(kept)) + escapeHtml(text)
    open = tags
  }
  return html + closing(open)
}

/** Number of the outermost entities that two neighbouring runs share. */
export function sharedTags(before: readonly Tag[], after: readonly Tag[]): number {
  const differs = after.findIndex((tag, index) => tag.open !== before[index]?.open)
  return differs === -1 ? after.length : differs
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function opening(tags: readonly Tag[]): string {
  return tags.map(({ open }) => open).join('')
}

function closing(tags: readonly Tag[]): string {
  return tags
    .map(({ close }) => close)
    .reverse()
    .join('')
}

function preOf(language: string): Tag {
  if (language === '') return pre
  return {
    open: `<pre><code class="language-${escapeHtml(language)}">`,
    close: '</code></pre>',
  }
}

function linkTo(href: string): Tag {
  return { open: `<a href="${escapeHtml(href)}">`, close: '</a>' }
}
