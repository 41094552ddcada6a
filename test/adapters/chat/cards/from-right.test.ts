import { expect, test } from 'vitest'
import { cardText, cardUpdateText } from '../../../../src/adapters/chat/console/card-text.ts'
import { createPaints } from '../../../../src/adapters/chat/render/paint.ts'
import { isolateFromRight } from '../../../../src/adapters/chat/render/printable.ts'
import type { BatchCard, Card } from '../../../../src/domain/approval.ts'
import { english } from '../../../../src/domain/messages/messages.ts'
import { withoutIsolates } from '../../../support/run/without-isolates.ts'
import { aCard } from '../console/cards.ts'
import { cardBlocks } from '../slack/render/as-blocks.ts'
import { readBlocks } from '../slack/render/read-blocks.ts'
import { batchHtml, cardHtml } from '../telegram/render/as-html.ts'
import { readMessage } from '../telegram/render/read-message.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const style = { messages: english, paints: createPaints(false), columns: 40, keys: true, now }
const hebrew = 'שלום עולם'
const isolated = `\u2068${hebrew}\u2069`

const platforms = {
  telegram: (card: Card): string => readMessage(cardHtml(card, { now }).html).text,
  slack: (card: Card): string => readBlocks(cardBlocks(card, { now }).drawn).text,
  terminal: (card: Card): string =>
    card.status.kind === 'waiting' ? cardText(card, style) : cardUpdateText(card, style),
}

/** What may follow or precede a letter from right to left, so that it moves nothing. */
const bare =
  /(?<!\u2068[^\u2069\n]*)[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\u202a-\u202e\u2066\u2067]/u

test.each(Object.entries(platforms))(
  'CARD-04 THREAT-23 a name from right to left is isolated in the headline and in what became of it: %s',
  (_platform, viewOf) => {
    const named = { requestedBy: hebrew, where: hebrew, what: 'ls' }
    const first = viewOf(aCard(named)).split('\n').slice(0, 2).join(' ')
    expect(first).toContain(`${isolated}'s agent wants to`)
    expect(first.split(isolated)).toHaveLength(3)
    const by = { by: hebrew, at: '2026-11-21T12:03:00Z' }
    const done = viewOf(aCard({ ...named, status: { kind: 'denied', ...by } }))
    expect(done.replaceAll(/\s+/g, ' ')).toContain(`Denied by ${isolated}`)
    expect(done).not.toMatch(bare)
  },
)

test.each(Object.entries(platforms))(
  'CARD-04 THREAT-23 marks of direction in a name are named, so that none ends the isolate: %s',
  (_platform, viewOf) => {
    const [first = ''] = viewOf(aCard({ requestedBy: `א\u2069\u202e\u2067ב x`, what: 'ls' })).split(
      '\n',
    )
    expect(withoutIsolates(first)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    expect(withoutIsolates(first)).toContain('א⟨U+2069⟩⟨U+202E⟩⟨U+2067⟩ב x')
    expect(first).not.toMatch(bare)
  },
)

test('CARD-04 an effect and a call of a batch are isolated as well', () => {
  const effects = [{ kind: 'writes_outside', of: `/${hebrew}/a` }] as const
  expect(readMessage(cardHtml(aCard({ what: 'ls', effects }), { now }).html).text).toContain(
    `outside the workspace: /${isolated}/a`,
  )
  const cards = [1, 2, 3].map((number) => aCard({ number, requestedBy: hebrew, effects }))
  const batch = { batchId: 'b', cards, isOpen: true } as unknown as BatchCard
  const { text } = readMessage(batchHtml(batch, { now }).html)
  expect(text).toContain(`❯ ${isolated}'s agent wants to make 3 calls`)
})

test('CARD-04 words from left to right get no marks', () => {
  for (const text of ['Ada', '日本語 naïve', 'a/b.txt: 12', '👩‍👩‍👧'])
    expect(isolateFromRight(text)).toBe(text)
  expect(isolateFromRight('a שלום, 12 עולם b')).toBe('a \u2068שלום\u2069, 12 \u2068עולם\u2069 b')
})
