import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cardRows } from '../../../../../src/adapters/chat/render/card-buttons.ts'
import { toPrintable } from '../../../../../src/adapters/chat/render/printable.ts'
import { toPlainBlocks } from '../../../../../src/adapters/chat/slack/outgoing/create-messenger.ts'
import { toActions } from '../../../../../src/adapters/chat/slack/outgoing/to-actions.ts'
import {
  createSlackCanvas,
  type SlackMessage,
} from '../../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import type { Card, CardStatus } from '../../../../../src/domain/approval.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { checkBlocks } from '../../../../support/slack/blocks/check-blocks.ts'
import '../../../../support/run/fuzz-seed.ts'
import { aCard } from '../../console/cards.ts'
import { nastyMarkdown } from '../../telegram/render/nasty-markdown.ts'
import { visibleWords } from '../../telegram/render/visible-words.ts'
import { answerBlocks, batchBlocks, cardBlocks, liveBlocks, noticeBlocks } from './as-blocks.ts'
import { readBlocks, type Shown } from './read-blocks.ts'

const slackCanvas = createSlackCanvas(english)

const now = Date.parse('2026-11-21T12:00:00Z')
const at = '2026-11-21T12:03:00Z'
const token = 'x'.repeat(43)

/** Words of Slack's own markup, which in blocks are words. */
const slackParts = [
  '<!channel>',
  '<!here|now>',
  '<@U0ADA00001>',
  '<!subteam^S0GROUP01>',
  '<https://evil.example|https://bank.example>',
  '@channel ',
  '@here',
  ':smile:',
  '&lt;!everyone&gt;',
  '<slack://open>',
  '\u202e',
  'שלום',
  '👩‍👩‍👧‍👦',
  '🏳️‍🌈',
  '\\"',
  '❯ Approval 1 · bash',
]
const nasty = fc.oneof(
  nastyMarkdown,
  fc
    .tuple(
      fc.array(fc.constantFrom(...slackParts, ' ', '\n', '`', '**', '> '), { maxLength: 20 }),
      fc.constantFrom(1, 1, 40, 400),
    )
    .map(([parts, times]) => parts.join('').repeat(times)),
)

/** Also where its blocks are refused. */
function readTwice(message: SlackMessage) {
  const plain = toPlainBlocks(message)
  return { looks: readBlocks(message), plain: readBlocks(plain), blocks: plain.blocks.length }
}

const bare = (text: string): string => text.replaceAll(/[\s\u2800]/g, '')

function assertLinks(shown: readonly Shown[]): void {
  for (const { url, text } of shown) {
    if (text === '') throw new Error('an empty stretch of text')
    if (url !== undefined) expect(url).toMatch(/^https?:\/\//)
  }
}

test('CHAT-05 SLACK-03 any answer of a model is accepted by Slack, notifies no one, is not a card, and has every word', () => {
  fc.assert(
    fc.property(nasty, (markdown) => {
      const messages = answerBlocks(markdown)
      const read = messages.map(readTwice)
      for (const { looks, plain } of read) {
        expect(looks.text + plain.text).not.toContain('❯')
        assertLinks(looks.shown)
      }
      for (const kind of ['looks', 'plain'] as const) {
        const said = bare(read.map((each) => each[kind].text).join(''))
        for (const word of visibleWords(markdown)) expect(said).toContain(bare(word))
      }
    }),
    { numRuns: 300 },
  )
}, 120_000)

test('CHAT-05 THREAT-23 any notice with any quote is accepted by Slack, and nothing is lost', () => {
  fc.assert(
    fc.property(nasty, (quoted) => {
      const read = noticeBlocks('Here it is:', quoted).map(readTwice)
      const wanted = bare(`Here it is:${toPrintable(quoted)}`)
      expect(bare(read.map(({ looks }) => looks.text).join(''))).toBe(wanted)
      expect(bare(read.map(({ plain }) => plain.text).join(''))).toBe(wanted)
      expect(read.some(({ looks }) => looks.text.includes('❯'))).toBe(false)
      for (const message of noticeBlocks(quoted)) readTwice(message)
    }),
    { numRuns: 200 },
  )
}, 120_000)

test('CHAT-04 any transient message is accepted by Slack, and is not a card', () => {
  fc.assert(
    fc.property(nasty, nasty, nasty, fc.nat(), (text, doing, lastLine, elapsedMs) => {
      const { looks, plain } = readTwice(liveBlocks({ text, doing, lastLine, elapsedMs }))
      expect(looks.text + plain.text).not.toContain('❯')
    }),
    { numRuns: 200 },
  )
}, 120_000)

const file = { id: '9', name: 'q.sh', bytes: 14_200, lines: 312, sha256: 'ab'.repeat(32) }
const status: fc.Arbitrary<CardStatus> = fc.oneof(
  fc.constant({ kind: 'waiting' as const }),
  nasty.map((reason) => ({ kind: 'denied' as const, by: reason, at, reason })),
  nasty.map((outcome) => ({
    kind: 'finished' as const,
    by: outcome,
    at,
    outcome,
    isSuccess: false,
    durationMs: 1,
  })),
  nasty.map((why) => ({ kind: 'cancelled' as const, why })),
)
const nastyCard: fc.Arbitrary<Card> = fc
  .record({
    tool: nasty,
    what: nasty,
    reasons: fc.array(nasty, { maxLength: 8 }),
    alwaysPatterns: fc.array(nasty, { maxLength: 8 }),
    requestedBy: nasty,
    whoMayAnswer: nasty,
    warning: nasty,
    messagesKept: fc.nat(3),
    open: fc.constantFrom(undefined, 'details' as const, 'choice' as const),
    file: nasty.map((name) => ({ ...file, name })),
    status,
  })
  .map(({ open, ...changes }) => aCard(open === undefined ? changes : { ...changes, open }))

/** As it is sent: with its buttons. */
function withButtons({ blocks, text }: SlackMessage, card: Card): SlackMessage {
  const rows = cardRows(card, slackCanvas).map((row) => row.map((button) => ({ ...button, token })))
  return { text, blocks: [...blocks, ...toActions(rows)] }
}

test('APPR-02 THREAT-23 any card is accepted by Slack with its buttons, and one line of it starts a card', () => {
  fc.assert(
    fc.property(nastyCard, (card) => {
      const { drawn } = cardBlocks(card, { now, lastLine: card.what })
      for (const message of [drawn, toPlainBlocks(drawn)]) {
        checkBlocks(withButtons(message, card).blocks)
        const { text } = readBlocks(message)
        expect(text.startsWith('❯')).toBe(true)
        expect(text.split('❯')).toHaveLength(2)
      }
    }),
    { numRuns: 200 },
  )
}, 120_000)

test('APPR-10 any card for several approvals is accepted by Slack', () => {
  fc.assert(
    fc.property(fc.array(nastyCard, { minLength: 2, maxLength: 12 }), (cards) => {
      const { drawn } = batchBlocks({ batchId: 'b', cards }, { now })
      readBlocks(drawn)
      readBlocks(toPlainBlocks(drawn))
    }),
    { numRuns: 60 },
  )
}, 120_000)
