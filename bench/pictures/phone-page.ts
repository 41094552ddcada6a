import { cardText, cardUpdateText, choiceText } from '../../src/adapters/chat/console/card-text.ts'
import { cardRows } from '../../src/adapters/chat/render/card-buttons.ts'
import { drawCard } from '../../src/adapters/chat/render/draw-card.ts'
import { createPaints } from '../../src/adapters/chat/render/paint.ts'
import { toActions } from '../../src/adapters/chat/slack/outgoing/to-actions.ts'
import { createSlackCanvas } from '../../src/adapters/chat/slack/render/slack-canvas.ts'
import { createTelegramCanvas } from '../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import type { Card } from '../../src/domain/approval.ts'
import { english } from '../../src/domain/messages/messages.ts'
import { escaped } from './escaped.ts'
import { partsOf } from './slack-page.ts'

/** A card with a title for the picture. */
export interface PhoneShot {
  readonly title: string
  readonly card: Card
}

const slackCanvas = createSlackCanvas(english)
const telegramCanvas = createTelegramCanvas(english)
const now = Date.parse('2026-11-21T12:00:00Z')

/** Colours of the clients; sizes are theirs at the width of a phone. */
const themes = {
  light: `--page: #e7ebf0; --ink: #111; --dim: #5c6b77; --bubble: #fff; --code: #f1f4f6; --line: #6f9fc8;
    --key: #8fa6b6; --slack: #fff; --slack-ink: #1d1c1d; --border: #ccc; --term: #fdfdfb; --term-ink: #222`,
  dark: `--page: #0e1621; --ink: #f2f5f7; --dim: #8b9aa6; --bubble: #182533; --code: #0f1a26; --line: #4f87b5;
    --key: #2b3d4e; --slack: #1a1d21; --slack-ink: #d1d2d3; --border: #565856; --term: #101214; --term-ink: #ddd`,
} as const

export type Theme = keyof typeof themes

const style = `
  body { margin: 0; padding: 16px; background: var(--page); color: var(--ink); width: 1208px;
    font: 15px/1.38 "DejaVu Sans", "Noto Color Emoji", sans-serif }
  main { display: grid; grid-template-columns: 390px 390px 390px; gap: 14px; align-items: start }
  h2 { font-size: 15px; margin: 0 0 8px } figure { margin: 0 0 14px }
  figcaption { color: var(--dim); font-size: 12px; margin-bottom: 4px }
  .bubble { background: var(--bubble); border-radius: 12px; padding: 8px 11px; white-space: pre-wrap; overflow-wrap: anywhere }
  pre { background: var(--code); border-radius: 5px; margin: 4px 0; padding: 5px 8px; white-space: pre-wrap; border-left: 3px solid var(--line) }
  pre, code, .term { font: 13px/1.4 "DejaVu Sans Mono", "Noto Color Emoji", monospace } code { color: var(--line) } pre code { color: inherit }
  blockquote { margin: 4px 0 0; padding: 2px 8px; border-left: 3px solid var(--line); background: var(--code); border-radius: 4px;
    max-height: 62px; overflow: hidden; font-size: 14px }
  .slack blockquote { max-height: none } .row { display: flex; gap: 5px; margin-top: 5px }
  .row span { flex: 1; text-align: center; background: var(--key); color: #fff; border-radius: 8px; padding: 8px 2px; font-size: 14px;
    white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
  .row .success { background: #4a9c5d } .row .danger { background: #c6504f }
  .slack { background: var(--slack); color: var(--slack-ink); border-radius: 8px; padding: 9px 11px; overflow-wrap: anywhere }
  .text { white-space: pre-wrap } .actions { display: flex; gap: 6px; margin-top: 8px; flex-wrap: wrap }
  .actions span { border: 1px solid var(--border); border-radius: 4px; padding: 4px 9px; font-weight: bold; font-size: 13px }
  .actions .primary { background: #007a5a; border-color: #007a5a; color: #fff } .actions .danger { border-color: #e01e5a; color: #e01e5a }
  .term { background: var(--term); color: var(--term-ink); border-radius: 8px; padding: 9px 11px; white-space: pre-wrap }
  .b { font-weight: bold } .y { color: #b58900 } .r { color: #dc4b3e } .g { color: #3a9a4b } .d { opacity: .65 }`

/** A page of cards as the painters of the product draw them, in three columns of a phone's width. */
export function toPhonePage(shots: readonly PhoneShot[], theme: Theme): string {
  const column = (title: string, draw: (card: Card) => string): string =>
    `<section><h2>${title}</h2>${shots.map((shot) => `<figure><figcaption>${escaped(shot.title)}</figcaption>${draw(shot.card)}</figure>`).join('')}</section>`
  const columns = [
    column('Telegram', toTelegram),
    column('Slack', toSlack),
    column('Terminal', toTerminal),
  ]
  return `<!doctype html><meta charset="utf-8"><style>:root { ${themes[theme]} }${style}</style><main>${columns.join('')}</main>`
}

function toTelegram(card: Card): string {
  const { drawn } = drawCard(telegramCanvas, card, { now })
  const rows = cardRows(card, telegramCanvas).map((row, at) => {
    const copy = at === 1 && card.copyable !== undefined && card.open === undefined
    const keys = row.map(
      ({ label, style: looks = '' }) => `<span class="${looks}">${escaped(label)}</span>`,
    )
    if (copy) keys.splice(1, 0, '<span>Copy</span>')
    return `<div class="row">${keys.join('')}</div>`
  })
  // Clients show no empty line below a block.
  return `<div class="bubble">${drawn.replaceAll('</pre>\n', '</pre>')}</div>${rows.join('')}`
}

function toSlack(card: Card): string {
  const { drawn } = drawCard(slackCanvas, card, { now })
  const rows = cardRows(card, slackCanvas).map((row) =>
    row.map((button) => ({ ...button, token: 't' })),
  )
  const blocks = [...drawn.blocks, ...toActions(rows)].map((block) => ({ ...block }))
  return `<div class="slack">${partsOf({ blocks, text: drawn.text, files: [] })}</div>`
}

function toTerminal(card: Card): string {
  const view = { messages: english, paints: createPaints(true), columns: 44, keys: true, now }
  const draw = card.status.kind === 'waiting' ? cardText : cardUpdateText
  const text = card.open === 'choice' ? choiceText(card, view) : draw(card, view)
  return `<div class="term">${painted(text)}</div>`
}

const classes: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y' }

/** Text with the escape sequences of the paints as HTML. */
function painted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return escaped(text).replaceAll(/\u001b\[(\d+)m/g, (_, code: string) =>
    classes[code] === undefined ? '</span>' : `<span class="${classes[code]}">`,
  )
}
