import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ReadUpdate,
  toIncoming,
} from '../../../../../src/adapters/chat/telegram/incoming/to-incoming.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'
import { ada, entity, groupMessage, me, ourBot, privateMessage, stopped, tap } from './updates.ts'

const runs = { numRuns: 2_000 }
const mention = '@OurTestBot hello'
const real: readonly object[] = [
  privateMessage(1, 'hello', { reply_to_message: { message_id: 4, from: ourBot } }),
  privateMessage(2, '', { text: undefined, caption: 'see', caption_entities: [] }),
  groupMessage(3, mention, { entities: [entity('mention', mention, '@OurTestBot')] }),
  groupMessage(4, '/clear@OurTestBot', {
    entities: [entity('bot_command', '/clear@OurTestBot', '/clear@OurTestBot')],
    message_thread_id: 77,
    is_topic_message: true,
  }),
  privateMessage(7, '', { text: undefined, photo: [{ file_id: 'x' }], media_group_id: '9' }),
  groupMessage(5, 'yes', { reply_to_message: { message_id: 4, from: ourBot } }),
  tap(6),
  stopped(8, { message_thread_id: 5 }),
]

interface Change {
  readonly at: number
  readonly value: unknown
  readonly isRemoval: boolean
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  value: fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, -1, 0, 1e300, '', 'private', [], {}),
    fc.string({ unit: anyCharacter }),
  ),
  isRemoval: fc.boolean(),
})

const mutated = fc
  .tuple(fc.constantFrom(...real), fc.array(change, { maxLength: 4 }))
  .map(([update, changes]) => changes.reduce(mutate, structuredClone(update)))

/** Replaces or removes what is at one place of a tree. */
function mutate(update: object, { at, value, isRemoval }: Change): object {
  const places = placesIn(update)
  const place = places[at % places.length]
  if (place === undefined) return update
  if (isRemoval) Reflect.deleteProperty(place.owner, place.key)
  else Reflect.set(place.owner, place.key, structuredClone(value))
  return update
}

function placesIn(value: unknown): readonly { owner: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    { owner: value, key },
    ...placesIn(inner),
  ])
}

function assertSound(read: ReadUpdate): void {
  if (read.kind !== 'incoming') {
    expect(read.why).toMatch(/^[\w .:]+$/)
    return
  }
  const { platform, externalId, place, from, act } = read.incoming
  expect([platform, externalId]).toEqual(['telegram', `${me.id}:${read.updateId}`])
  expect(place).toMatch(/^-?\d+(\/\d+)?$/)
  expect(from.id).toMatch(/^telegram:\d+$/)
  expect(from.name).toMatch(/^[^\p{Cc}\u2028\u2029]{1,64}$/u)
  expect(from.name.length).toBeLessThanOrEqual(64)
  expect(from.name.isWellFormed()).toBe(true)
  if (act.kind === 'stop') {
    expect(act.turnNumber).toBeGreaterThan(0)
    return
  }
  const words = act.kind === 'tap' ? act.token : act.text
  expect(words.isWellFormed() && !words.includes('\0')).toBe(true)
  const isFile = act.kind === 'message' && (act.unread ?? act.files) !== undefined
  if (act.kind === 'message' && !isFile) expect(act.text).not.toBe('')
}

test('REL-02 any JSON as an update is parsed without an error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (update) => assertSound(toIncoming(update, me))),
    runs,
  )
})

test('REL-02 real updates with arbitrary changes are parsed without an error', () => {
  let acts = 0
  fc.assert(
    fc.property(mutated, (update) => {
      const read = toIncoming(update, me)
      if (read.kind === 'incoming') acts++
      assertSound(read)
    }),
    { ...runs, interruptAfterTimeLimit: 2_000 },
  )
  // The changes leave some of them whole: the property above looked at something.
  expect(acts).toBeGreaterThan(5)
})

const marks: readonly ((message: Record<string, unknown>, value: unknown) => void)[] = [
  (message, value) => Object.assign(message, { sender_chat: value }),
  (message, value) => Object.assign(message, { via_bot: value }),
  (message, value) => Object.assign(message, { sender_business_bot: value }),
  (message, value) => Object.assign(message, { is_automatic_forward: value }),
  (message) => Reflect.deleteProperty(message, 'from'),
  (message) => Object.assign(message, { from: { ...ada, is_bot: true } }),
  (message) => Object.assign(message, { from: { ...ada, id: 1_087_968_824 } }),
  (message) => Object.assign(message, { from: { ...ada, id: 777_000 } }),
]

test.each<[string, () => unknown]>([
  ['a hundred thousand brackets', () => JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))],
  [
    'replies to replies, thousands deep',
    () => {
      const text = `${'{"reply_to_message":'.repeat(4_000)}{}${'}'.repeat(4_000)}`
      return privateMessage(1, 'a', { reply_to_message: JSON.parse(text) as object })
    },
  ],
  ['ten megabytes of text', () => privateMessage(1, 'x'.repeat(10_000_000))],
  ['ten megabytes of blank lines', () => privateMessage(1, '\n'.repeat(10_000_000))],
  ['lone surrogates and NUL', () => privateMessage(1, '\ud800a\0\udfff'.repeat(1_000))],
  [
    'names of prototypes',
    () => JSON.parse('{"update_id":5,"message":{"__proto__":{"x":1},"constructor":{"y":1}}}'),
  ],
  ['numbers beyond all ids', () => ({ update_id: 1e300, message: { chat: { id: 2 ** 60 } } })],
])('REL-02 %s: an update is read without an error', (_what, make) => {
  assertSound(toIncoming(make(), me))
  expect(Reflect.get({}, 'x')).toBeUndefined()
})

test('THREAT-7 no message of a stranger causes an action, whatever else it contains', () => {
  fc.assert(
    fc.property(mutated, fc.constantFrom(...marks), fc.jsonValue(), (update, mark, value) => {
      const message: unknown = Reflect.get(update, 'message')
      fc.pre(typeof message === 'object' && message !== null)
      mark(message as Record<string, unknown>, value)
      expect(toIncoming(update, me).kind).not.toBe('incoming')
    }),
    runs,
  )
})

test('TG-04 entities over any part of a group message affect its text only', () => {
  const mark = fc.record({
    type: fc.constantFrom('mention', 'bot_command', 'text_mention', 'bold'),
    offset: fc.nat(40),
    length: fc.nat(40),
    user: fc.constant(ourBot),
  })
  const text = fc.string({ unit: 'grapheme', maxLength: 30 })
  fc.assert(
    fc.property(text, fc.array(mark, { maxLength: 6 }), (words, entities) => {
      const read = toIncoming(groupMessage(1, `@OurTestBot ${words}`, { entities }), me)
      assertSound(read)
      expect(read.kind).not.toBe('malformed')
    }),
    runs,
  )
})
