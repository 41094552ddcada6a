import { z } from 'zod'
import type { SeenMessage } from '../../test/support/slack/people/seen.ts'
import { escaped } from './escaped.ts'
import type { SlackShot } from './slack-scenes.ts'

const style = `
  body { margin: 0; padding: 28px; background: #fff; font: 15px/1.46 Lato, "DejaVu Sans", sans-serif; color: #1d1c1d; width: 1184px }
  main { columns: 2; column-gap: 34px }
  figure { margin: 0 0 26px; break-inside: avoid; display: grid; grid-template-columns: 40px 1fr; column-gap: 9px }
  figcaption { grid-column: 2; color: #616061; font-size: 13px; margin-bottom: 2px }
  .face { grid-row: 2; width: 36px; height: 36px; border-radius: 5px; background: #274b6d; color: #fff; display: grid; place-items: center; font-weight: bold }
  .message { grid-row: 2; grid-column: 2; overflow-wrap: anywhere }
  .name b { font-size: 15px }
  .name i { font: 10px "DejaVu Sans", sans-serif; background: #ddd; color: #454447; border-radius: 2px; padding: 1px 3px; margin-left: 5px }
  .text { white-space: pre-wrap }
  pre { background: #f8f8f8; border: 1px solid #ddd; border-radius: 4px; margin: 4px 0; padding: 8px; white-space: pre-wrap; font: 12px/1.5 "DejaVu Sans Mono", monospace }
  code { font: 12px "DejaVu Sans Mono", monospace; color: #c01343; background: #f8f8f8; border: 1px solid #ddd; border-radius: 3px; padding: 1px 3px }
  blockquote { margin: 4px 0; padding-left: 14px; border-left: 4px solid #ddd; white-space: pre-wrap }
  .actions { display: flex; gap: 8px; margin-top: 8px; flex-wrap: wrap }
  .actions span { border: 1px solid #bbb; border-radius: 4px; padding: 5px 11px; font-weight: bold; font-size: 13px }
  .actions .primary { background: #007a5a; border-color: #007a5a; color: #fff }
  .actions .danger { background: #fff; border-color: #e01e5a; color: #e01e5a }
  .file { border: 1px solid #ddd; border-radius: 8px; padding: 10px 12px; margin-top: 6px; max-width: 360px; font-size: 14px }`

/** A page that shows what was received as a client of Slack would. Its blocks were checked by the stand-in. */
export function toSlackPage(shots: readonly SlackShot[]): string {
  const figures = shots.map(
    ({ title, message }) =>
      `<figure><figcaption>${title}</figcaption><div class="face">C</div><div class="message"><div class="name"><b>Countersign</b><i>APP</i></div>${partsOf(message)}</div></figure>`,
  )
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><main>${figures.join('')}</main>`
}

const text = z.object({
  type: z.literal('text'),
  text: z.string(),
  style: z
    .object({ bold: z.boolean(), italic: z.boolean(), strike: z.boolean(), code: z.boolean() })
    .partial()
    .optional(),
})
const link = z.object({ type: z.literal('link'), text: z.string(), url: z.string() })
/** Shown as a reader in the zone of the messages sees it. */
const date = z.object({ type: z.literal('date'), fallback: z.string() })
const richText = z.object({
  type: z.literal('rich_text'),
  elements: z.array(
    z.object({
      type: z.enum(['rich_text_section', 'rich_text_preformatted', 'rich_text_quote']),
      elements: z.array(z.discriminatedUnion('type', [text, link, date])),
    }),
  ),
})
const actions = z.object({
  type: z.literal('actions'),
  elements: z.array(
    z.object({ text: z.object({ text: z.string() }), style: z.string().optional() }),
  ),
})
/** What cards are made of; another block is to be drawn here too before it can be in a picture. */
const block = z.discriminatedUnion('type', [richText, actions])

const tags = {
  rich_text_section: ['<div class="text">', '</div>'],
  rich_text_preformatted: ['<pre>', '</pre>'],
  rich_text_quote: ['<blockquote>', '</blockquote>'],
} as const

/** A message as HTML: its blocks, or without blocks its text, and its files. */
export function partsOf({
  blocks,
  text: words,
  files,
}: Pick<SeenMessage, 'blocks' | 'text' | 'files'>): string {
  const shown =
    blocks.length === 0
      ? `<div class="text">${escaped(words)}</div>`
      : blocks.map((each) => toHtml(block.parse(each))).join('')
  const below = files.map(
    ({ name, bytes }) => `<div class="file"><b>${escaped(name)}</b><br>${bytes.length} bytes</div>`,
  )
  return shown + below.join('')
}

function toHtml(shown: z.infer<typeof block>): string {
  if (shown.type === 'actions') {
    const buttons = shown.elements.map(
      ({ text: label, style: looks = '' }) =>
        `<span class="${looks}">${escaped(label.text)}</span>`,
    )
    return `<div class="actions">${buttons.join('')}</div>`
  }
  const parts = shown.elements.map(({ type, elements }) => {
    const [open, close] = tags[type]
    return `${open}${elements.map(wordsOf).join('')}${close}`
  })
  return parts.join('')
}

function wordsOf(
  element: z.infer<typeof text> | z.infer<typeof link> | z.infer<typeof date>,
): string {
  if (element.type === 'date') return escaped(element.fallback)
  const words = escaped(element.text)
  if (element.type === 'link') return `<a href="${escaped(element.url)}">${words}</a>`
  const { bold, italic, strike, code } = element.style ?? {}
  const marks = [bold && 'b', italic && 'i', strike && 's', code && 'code']
  return marks.reduce((inner: string, tag) => (tag ? `<${tag}>${inner}</${tag}>` : inner), words)
}
