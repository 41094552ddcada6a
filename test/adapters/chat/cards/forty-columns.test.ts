import { describe, expect, test } from 'vitest'
import { cardText, cardUpdateText } from '../../../../src/adapters/chat/console/card-text.ts'
import { wrapToWidth } from '../../../../src/adapters/chat/render/display-width.ts'
import { drawCard } from '../../../../src/adapters/chat/render/draw-card.ts'
import { createPaints } from '../../../../src/adapters/chat/render/paint.ts'
import { createSlackCanvas } from '../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import { createTelegramCanvas } from '../../../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import { type Card, type CardStatus, isDangerous } from '../../../../src/domain/approval.ts'
import { english, type Messages, messagesOf } from '../../../../src/domain/messages/messages.ts'
import { cardBlocks } from '../slack/render/as-blocks.ts'
import { readBlocks } from '../slack/render/read-blocks.ts'
import { cardHtml } from '../telegram/render/as-html.ts'
import { readMessage } from '../telegram/render/read-message.ts'
import { cardOf, kinds } from './kinds.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const columns = 40
const by = { by: 'Ada', at: '2026-11-21T12:03:00Z' } as const

const terminalStyle = {
  messages: english,
  paints: createPaints(false),
  columns: undefined,
  keys: true,
  now,
}

const waitingRows = 7

const ends: readonly CardStatus[] = [
  { kind: 'approved', ...by, always: false },
  { kind: 'granted' },
  { kind: 'denied', ...by, reason: 'not now' },
  { kind: 'expired', at: by.at },
  { kind: 'cancelled', why: 'stopped', by: 'Ada' },
  { kind: 'running', ...by },
  {
    kind: 'finished',
    ...by,
    outcome: 'failed: exit 1, no such file',
    isSuccess: false,
    durationMs: 100,
    lastLine: 'ls: x: No such file or directory',
  },
]

/** The first view of a card on each platform: its lines, and its rows at this width. */
const platforms = {
  telegram: (card: Card): string[] =>
    readMessage(
      cardHtml(card, { now }).html.replace(/\n?<blockquote expandable>[\s\S]*$/, ''),
    ).text.split('\n'),
  slack: (card: Card): string[] => readBlocks(cardBlocks(card, { now }).drawn).text.split('\n'),
  terminal: (card: Card): string[] =>
    card.status.kind === 'waiting'
      ? cardText(card, terminalStyle).split('\n')
      : cardUpdateText(card, terminalStyle).split('\n'),
}

describe.each(Object.entries(platforms))('a card at 40 columns: %s', (platform, viewOf) => {
  const inWords = (lines: readonly string[]): string =>
    lines.map((line) => line.replace(/^❯ */, '')).join('\n')

  test.each(kinds)(
    'CARD-01 CARD-02 CARD-09 $name: the first view says what a tap on Approve would do',
    (kind) => {
      const words = inWords(viewOf(cardOf(kind)))
      for (const part of kind.says) expect(words).toContain(part)
      expect(words).not.toMatch(/rule of|sha-256|Approval 7/)
    },
  )

  test.each(kinds)(
    'CARD-04 $name: at most 7 rows (8 of a destructive one), and it reads aloud as a sentence',
    (kind) => {
      const lines = viewOf(cardOf(kind))
      const [first = ''] = lines
      expect(first).toMatch(/^❯ Ada's agent wants to [a-z].* in shop-api:$/)
      // The terminal's keys take the place of buttons.
      const read = platform === 'terminal' ? lines.slice(0, -1) : lines
      const most = isDangerous(cardOf(kind)) ? waitingRows + 1 : waitingRows
      expect(read.flatMap((line) => wrapToWidth(line, columns)).length).toBeLessThanOrEqual(most)
      expect(lines.join('\n')).not.toMatch(/[\u2500-\u259f]/)
      const last = lines.at(-1) ?? ''
      expect(last).toMatch(
        platform === 'terminal' ? /y approve .*n deny/ : /^Waiting for an answer\.$/,
      )
    },
  )

  test.each(kinds)('CARD-05 $name: once decided, at most three lines', (kind) => {
    for (const status of ends) {
      const lines = viewOf({ ...cardOf(kind), status })
      expect(lines.length).toBeLessThanOrEqual(3)
      expect(lines.join('\n')).not.toMatch(/[\u2500-\u259f]/)
    }
  })
})

/** The first view of a waiting card in a language, without the keys of the terminal. */
const views = {
  telegram: (card: Card, messages: Messages): string[] =>
    withoutDetails(
      readMessage(drawCard(createTelegramCanvas(messages), card, { now }).drawn).text,
      messages,
    ),
  slack: (card: Card, messages: Messages): string[] =>
    readBlocks(drawCard(createSlackCanvas(messages), card, { now }).drawn).text.split('\n'),
  terminal: (card: Card, messages: Messages): string[] =>
    cardText(card, { ...terminalStyle, messages })
      .split('\n')
      .slice(0, -1),
}

function withoutDetails(text: string, { display }: Messages): string[] {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => line.includes(display.details.who))
  return end === -1 ? lines : lines.slice(0, end)
}

describe.each(['de', 'es'] as const)('a card at 40 columns in %s', (language) => {
  const messages = messagesOf(language)

  test.each(kinds)('CARD-04 CARD-06 $name: no more rows than in English', (kind) => {
    const card = cardOf(kind, messages)
    const most = isDangerous(card) ? waitingRows + 1 : waitingRows
    for (const [platform, viewOf] of Object.entries(views)) {
      const rows = viewOf(card, messages).flatMap((line) => wrapToWidth(line, columns))
      expect([platform, rows, rows.length <= most]).toEqual([platform, rows, true])
    }
  })
})
