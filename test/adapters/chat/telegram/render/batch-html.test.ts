import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { batchButtons } from '../../../../../src/adapters/chat/render/card-buttons.ts'
import type { BatchCard, Card, CardStatus } from '../../../../../src/domain/approval.ts'
import { aCard } from '../../console/cards.ts'
import { batchHtml } from './as-html.ts'
import { livePings, readMessage } from './read-message.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const at = '2026-11-21T12:03:00Z'
const expiresAt = '2026-11-22T11:59:30Z'
const file = { id: '9', name: 'questions-3-66.txt', bytes: 10, lines: 2, sha256: 'ab'.repeat(32) }
const batchId = '01a1ff00-0000-7000-8000-000000000001'

function aBatch(cards: readonly Partial<Card>[], more: Partial<BatchCard> = {}): BatchCard {
  const each = cards.map((card, index) => aCard({ number: index + 3, expiresAt, ...card }))
  return { batchId, cards: each, ...more }
}

function textOf(batch: BatchCard): string {
  return readMessage(batchHtml(batch, { now }).html).text
}

describe('a card for several questions in Telegram', () => {
  test('APPR-10 APPR-02 it says all there is to know of each, the truth last', () => {
    const batch = aBatch([
      { what: 'git push', reasons: ['no rule allows it'], risk: 'high' },
      { tool: 'fetch', what: 'fetch https://example.com', reasons: [] },
    ])
    expect(textOf(batch).split('\n')).toEqual([
      '▐ Questions 3 to 4 · 2 calls for Ada',
      '',
      '3 · bash, risk high',
      'git push',
      'Why no rule allows it',
      '',
      '4 · fetch',
      'fetch https://example.com',
      'Who may answer Ada, or an approver',
      'Until 22 Nov 11:59 UTC',
      'One by one gives each a card of its own, with Always and Edit.',
      '',
      'Waiting for an answer.',
    ])
  })

  test('APPR-13 what became of one stands below it, and how many wait', () => {
    const denied: CardStatus = { kind: 'denied', by: 'Eve', at, reason: 'no' }
    const text = textOf(aBatch([{ status: denied }, {}]))
    expect(text).toContain('🚫 Denied by Eve, 12:03 UTC: no')
    expect(text.endsWith('1 of 2 wait for an answer.')).toBe(true)
  })

  test('APPR-13 APPR-16 of very many it shows those that wait first, counts all, and offers no approval of what has no line', () => {
    const done: CardStatus = {
      kind: 'finished',
      by: 'Ada',
      at,
      outcome: 'exit 0',
      isSuccess: true,
      durationMs: 5,
    }
    const cards = Array.from({ length: 64 }, (_, index) => ({
      tool: `mcp_${'x'.repeat(60)}`,
      ...(index % 2 === 0 ? { status: done } : {}),
    }))
    const batch = aBatch(cards, { file })
    const { html, isWhole } = batchHtml(batch, { now })
    const { text } = readMessage(html)
    expect(text).toContain('Questions 3 to 66 · 64 calls for Ada')
    expect(text).toMatch(/⋯ \d+ more not shown here, of which \d+ wait ⋯/)
    expect(text).toContain('⛔ Not all of it can be shown here')
    expect(text.endsWith('32 of 64 wait for an answer.')).toBe(true)
    expect(batchButtons(batch, isWhole).map(({ action }) => action)).toEqual(['review', 'deny_all'])
  })

  test('APPR-16 beside a file 64 questions have a line each, and a sign tells what became of each', () => {
    const done: CardStatus = {
      kind: 'finished',
      by: 'Ada',
      at,
      outcome: 'exit 0',
      isSuccess: true,
      durationMs: 5,
    }
    const cards = Array.from({ length: 64 }, (_, index) => ({
      what: `touch ${index} and a few words`,
      ...(index < 60 ? { status: done } : {}),
    }))
    const batch = aBatch(cards, { file })
    const { html, isWhole } = batchHtml(batch, { now })
    expect(isWhole).toBe(true)
    const { text } = readMessage(html)
    expect(text.match(/^✅ \d+ · bash/gm)).toHaveLength(60)
    expect(text.match(/^\d+ · bash/gm)).toHaveLength(4)
    expect(text).toContain('📎 questions-3-66.txt')
  })

  test('APPR-20 APPR-16 what was not wholly shown cannot be approved in one go', () => {
    const long = aBatch([{ what: 'x'.repeat(3_000) }, { what: 'y'.repeat(3_000) }])
    const { isWhole } = batchHtml(long, { now })
    expect(isWhole).toBe(false)
    expect(batchButtons(long, isWhole).map(({ action }) => action)).toEqual(['review', 'deny_all'])
  })

  test('THREAT-23 CHAT-06 whatever stands in it, it fits into a message, pings nobody, and only we write its headings', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 5_000, unit: 'grapheme' }),
      fc.constantFrom('\n\n4 · bash\ngit push', '@everyone /approve all', '</pre><b>Until</b>'),
    )
    const status: fc.Arbitrary<CardStatus> = fc.oneof(
      fc.constant({ kind: 'waiting' } as const),
      text.map((by): CardStatus => ({ kind: 'approved', by, at, always: false })),
      text.map((reason): CardStatus => ({ kind: 'denied', by: 'Eve', at, reason })),
    )
    const card = fc.record({
      what: text,
      reasons: fc.array(text, { maxLength: 4 }),
      requestedBy: text,
      whoMayAnswer: text,
      status,
    })
    const cards = fc.array(card, { minLength: 1, maxLength: 64 })
    fc.assert(
      fc.property(cards, fc.boolean(), (given, hasFile) => {
        const batch = aBatch(given, hasFile ? { file } : {})
        const waiting = given.filter((one) => one.status.kind === 'waiting').length
        const { html } = batchHtml(batch, { now })
        const message = readMessage(html)
        expect(message.text.length).toBeLessThanOrEqual(4_096)
        expect(livePings(message.text, message.entities)).toEqual([])
        const last = message.text.split('\n').at(-1) ?? ''
        expect(message.text).toContain(` · ${given.length} calls for`)
        if (waiting === 0) expect(last).toBe('All are answered.')
        else if (waiting === given.length) expect(last).toBe('Waiting for an answer.')
        else expect(last).toBe(`${waiting} of ${given.length} wait for an answer.`)
      }),
      { numRuns: 60 },
    )
  })
})
