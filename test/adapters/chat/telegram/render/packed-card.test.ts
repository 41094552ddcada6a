import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packCard } from '../../../../../src/core/card/card-file.ts'
import type { Card, CardStatus } from '../../../../../src/domain/approval.ts'
import { makeVisible } from '../../../../../src/rules/gate/visible.ts'
import { type BenchContext, createBenchContext } from '../../../../support/bench-context.ts'
import { createScriptedModel, say } from '../../../../support/scripted-model.ts'
import { aCard } from '../../console/cards.ts'
import { cardHtml } from './as-html.ts'
import { readMessage } from './read-message.ts'
import '../../../../support/run/fuzz-seed.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const at = '2025-11-21T12:03:00Z'

let bench: BenchContext
let conversationId = ''
beforeAll(async () => {
  bench = await createBenchContext(createScriptedModel([say('hello')]))
  await bench.say('hi')
  const { id } = await bench.database.db
    .selectFrom('conversation')
    .select('id')
    .executeTakeFirstOrThrow()
  conversationId = id
})
afterAll(() => bench[Symbol.asyncDispose]())

/** Text that takes much more room where it is shown than it has characters, and text that does not. */
const texts = (most: number) =>
  fc
    .tuple(
      fc.array(
        fc.constantFrom(
          'a',
          'x\t',
          '\t',
          '\n',
          ' @ada',
          ' /stop ',
          '\u200b',
          '█',
          '⟨',
          '😀',
          '; ',
          '"',
        ),
        { minLength: 1, maxLength: 6 },
      ),
      fc.integer({ min: 1, max: most }),
    )
    .map(([parts, length]) => {
      const unit = parts.join('')
      return makeVisible(unit.repeat(Math.ceil(length / unit.length)).slice(0, length))
    })
const names = fc.constantFrom(
  'Ada',
  `${'W'.repeat(80)} (@${'w'.repeat(64)})`,
  '\u202e'.repeat(80),
  '@a /b '.repeat(13),
  '\n'.repeat(80),
)
const statuses = (by: string, words: string): readonly CardStatus[] => [
  { kind: 'waiting' },
  { kind: 'approved', by, at, always: true },
  { kind: 'approved', by, at, always: false, life: '15m' },
  { kind: 'granted' },
  { kind: 'denying', by, at, until: at },
  { kind: 'denied', by, at, reason: words },
  { kind: 'expired', at },
  { kind: 'cancelled', why: 'stopped', by },
  { kind: 'cancelled', why: words },
  { kind: 'running', by, at },
  { kind: 'finished', by, at, outcome: words, isSuccess: false, durationMs: 86_399_000 },
  {
    kind: 'finished',
    by,
    at,
    life: '5x',
    outcome: words,
    isSuccess: false,
    durationMs: 86_399_000,
  },
]
const cards = fc
  .record({
    tool: fc.constantFrom('bash', 'edit', 't'.repeat(64)),
    what: fc.oneof(
      texts(3_500),
      texts(3_500).map((diff) => `edit a\n\n--- a\n${diff}`),
    ),
    reasons: fc.array(texts(300), { maxLength: 30 }),
    alwaysPatterns: fc.array(texts(300), { maxLength: 30 }),
    requestedBy: names,
    warning: fc.option(
      texts(300).map((text) => text.replaceAll('\t', ' ')),
      { nil: undefined },
    ),
  })
  .map(({ warning, ...given }): Card => {
    const whoMayAnswer = `${given.requestedBy}, or an approver`
    const noted = warning === undefined ? {} : { warning }
    return aCard({
      ...given,
      ...noted,
      whoMayAnswer,
      expiresAt: at,
      number: 9_999,
      messagesKept: 9_999,
    })
  })

test('APPR-16 APPR-02 what the core lets onto a card is whole on it in Telegram, whatever became of the question', async () => {
  const words = fc.constantFrom('done', 'r'.repeat(500), '\u200b'.repeat(500), '\n@ada'.repeat(100))
  let packedWithFile = 0
  await fc.assert(
    fc.asyncProperty(cards, names, words, async (card, by, reason) => {
      const packed = await packCard({ ctx: bench.ctx, db: bench.database.db }, conversationId, card)
      if (packed.file !== undefined) packedWithFile += 1
      for (const status of statuses(by, reason)) {
        const { html, isWhole } = cardHtml({ ...packed, status }, { now, elapsedMs: 86_399_000 })
        const { text } = readMessage(html)
        expect(isWhole, `${text.length} units, ${JSON.stringify(status)}`).toBe(true)
      }
    }),
    // Longer than other properties: few cards are long enough for a file.
    { numRuns: 150, endOnFailure: true, interruptAfterTimeLimit: 10_000 },
  )
  expect(packedWithFile).toBeGreaterThan(0)
}, 120_000)
