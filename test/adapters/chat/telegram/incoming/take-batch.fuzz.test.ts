import fc from 'fast-check'
import { Api } from 'grammy'
import { expect, test } from 'vitest'
import { createBatchTaker } from '../../../../../src/adapters/chat/telegram/incoming/take-batch.ts'
import { createUpdateTaker } from '../../../../../src/adapters/chat/telegram/incoming/take-update.ts'
import { toIncoming } from '../../../../../src/adapters/chat/telegram/incoming/to-incoming.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { silentLog } from '../../../../../src/util/log.ts'
import { deepJson, nearly } from '../../../nearly.ts'
import { RecordingIntake } from './recording-intake.ts'
import { adasChat, me, privateMessage, stopped, tap } from './updates.ts'

interface Item {
  readonly chat: number
  readonly kind: 'whole' | 'odd'
  /** Of something odd. */
  readonly value: unknown
  /** How often the database is away for it. */
  readonly failures: number
}

const odd = fc.oneof(
  nearly([privateMessage(1, 'x'), tap(2), stopped(3)]),
  deepJson.map((text) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      return text
    }
  }),
  fc.jsonValue(),
)
const item: fc.Arbitrary<Item> = fc.record({
  chat: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('whole', 'whole', 'odd'),
  value: odd,
  failures: fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.integer({ min: 1, max: 2 })),
})

/** An update as the server keeps it: it has an id, whatever else is in it. */
function toUpdate({ kind, chat, value }: Item, index: number): unknown {
  const id = index + 1
  if (kind === 'whole')
    return privateMessage(id, `message ${id}`, { chat: { ...adasChat, id: chat } })
  return typeof value === 'object' && value !== null
    ? { ...value, update_id: id }
    : { update_id: id, message: value }
}

test('TG-01 REL-01 REL-02 every valid update of a batch is stored once and in order, whatever else is in it and fails', async () => {
  const signal = new AbortController().signal
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 12 }), async (items) => {
      const updates = items.map(toUpdate)
      const intake = new RecordingIntake()
      const left = new Map(items.map(({ failures }, index) => [`${me.id}:${index + 1}`, failures]))
      intake.away = ({ externalId }) => {
        const failures = left.get(externalId) ?? 0
        left.set(externalId, failures - 1)
        return failures > 0
      }
      const api = new Api('7:unused', { apiRoot: 'http://127.0.0.1:1' })
      const take = createBatchTaker(
        createUpdateTaker({ api, intake, messages: english, log: silentLog }),
      )
      let offset = 1
      for (let round = 0; offset <= items.length; round += 1) {
        expect(round).toBeLessThan(40)
        const batch = updates.slice(offset - 1).map((update) => toIncoming(update, me))
        const { next = offset } = await take(batch, signal)
        expect(next).toBeGreaterThanOrEqual(offset)
        offset = next
      }
      const whole = items.flatMap(({ kind, chat }, index) =>
        kind === 'whole' ? [{ chat, id: index + 1 }] : [],
      )
      for (const chat of [1, 2, 3]) {
        const expected = whole.filter((one) => one.chat === chat).map(({ id }) => `${me.id}:${id}`)
        expect(intake.ids().filter((id) => expected.includes(id))).toEqual(expected)
      }
    }),
    { numRuns: 200 },
  )
})

test('TG-02 REL-02 an unreadable button affects neither the tap on another nor what is known of that', () => {
  const rows = [[7, { callback_data: 9 }, null], [{ callback_data: 'AAAAAAAAAAAAAAAAAAAAAA' }]]
  const below = (inline_keyboard: unknown) => {
    const { callback_query } = tap(1)
    return tap(1, { message: { ...callback_query.message, reply_markup: { inline_keyboard } } })
  }
  expect(toIncoming(below(rows), me)).toMatchObject({ incoming: { act: { isThere: true } } })
  expect(toIncoming(below('none'), me)).toMatchObject({ incoming: { act: { kind: 'tap' } } })
  expect(toIncoming(below('none'), me)).not.toHaveProperty('incoming.act.isThere')
})
