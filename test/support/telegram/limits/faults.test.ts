import { GrammyError, HttpError } from 'grammy'
import { expect, test } from 'vitest'
import { forGrammy, setUp } from '../set-up.ts'
import { type Fault, type IncomingCall, randomFaults } from './faults.ts'

test('a connection dropped before has done nothing, one dropped after has done it', async () => {
  await using at = await setUp()
  const { api, chat, telegram } = at
  telegram.failNext('sendMessage', { kind: 'drop-before' }, { kind: 'drop-after' })
  await expect(api.sendMessage(42, 'before')).rejects.toThrow(HttpError)
  expect(chat.messages()).toEqual([])
  await expect(api.sendMessage(42, 'after')).rejects.toThrow(HttpError)
  expect(chat.messages().map(({ text }) => text)).toEqual(['after'])
  expect(telegram.calls.map(({ outcome }) => outcome)).toEqual([
    { kind: 'dropped', done: false },
    { kind: 'dropped', done: true },
  ])
  expect(telegram.faultsLeft).toBe(0)
})

test('a 429 names the time, and who comes earlier is told again', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { api, telegram, chat } = at
  telegram.failNext('sendMessage', { kind: '429', retryAfter: 7 })
  await expect(api.sendMessage(42, 'x')).rejects.toMatchObject({
    error_code: 429,
    description: 'Too Many Requests: retry after 7',
    parameters: { retry_after: 7 },
  })
  now += 5001
  await expect(api.sendMessage(42, 'x')).rejects.toMatchObject({ parameters: { retry_after: 2 } })
  expect(telegram.tooEarly).toBe(1)
  await api.sendChatAction(42, 'typing')
  now += 2000
  await api.sendMessage(42, 'x')
  expect(chat.messages()).toHaveLength(1)
})

test('whoever writes too often in a chat is stopped there and nowhere else', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now, limits: { perChatPerSecond: 2 } })
  const { api, telegram } = at
  telegram.privateChat(telegram.addUser({ id: 43, first_name: 'Bob' }))
  const { message_id } = await api.sendMessage(42, 'one')
  await api.editMessageText(42, message_id, 'two')
  await expect(api.editMessageText(42, message_id, 'three')).rejects.toMatchObject({
    error_code: 429,
  })
  await api.sendMessage(43, 'one')
  now += 1001
  await api.sendMessage(42, 'three')
  telegram.limits = {}
  for (let i = 0; i < 5; i++) await api.sendMessage(42, 'x')
})

test('a group has its own limit a minute', async () => {
  await using at = await setUp({
    now: () => 1_800_000_000_000,
    limits: { perGroupPerMinute: 1, perSecond: 3 },
  })
  const { api, telegram, ada } = at
  telegram.group({ id: -1007, title: 'G', members: [ada] })
  await api.sendMessage(-1007, 'x')
  await expect(api.sendMessage(-1007, 'x')).rejects.toMatchObject({
    parameters: { retry_after: 60 },
  })
  await api.sendMessage(42, 'x')
  await api.sendMessage(42, 'x')
  await expect(api.sendMessage(42, 'x')).rejects.toMatchObject({ parameters: { retry_after: 1 } })
})

test('a status comes with its words or as a page of a proxy, and nothing is done', async () => {
  await using at = await setUp()
  const { api, chat, telegram } = at
  const gone: Fault = { kind: 'status', code: 500, description: 'Internal Server Error' }
  telegram.failNext('sendMessage', gone, { kind: 'status', code: 502 })
  await expect(api.sendMessage(42, 'x')).rejects.toThrow(GrammyError)
  await expect(api.sendMessage(42, 'x')).rejects.toThrow(HttpError)
  expect(chat.messages()).toEqual([])
  expect(telegram.callsOf('sendMessage').map(({ outcome }) => outcome)).toEqual([
    { kind: 'refused', code: 500, description: 'Internal Server Error' },
    { kind: 'refused', code: 502, description: '' },
  ])
})

test('a delayed call is done late, a hanging one never', async () => {
  await using at = await setUp()
  const { api, chat, telegram } = at
  telegram.failNext('sendMessage', { kind: 'delay', ms: 300 }, { kind: 'hang' })
  const started = performance.now()
  await api.sendMessage(42, 'late')
  expect(performance.now() - started).toBeGreaterThan(280)
  const leaving = new AbortController()
  const hanging = api.sendMessage(42, 'never', {}, forGrammy(leaving.signal))
  await telegram.waitFor(() => telegram.callsOf('sendMessage').length === 2)
  leaving.abort()
  await expect(hanging).rejects.toThrow()
  expect(chat.messages().map(({ text }) => text)).toEqual(['late'])
  expect(telegram.calls.at(-1)?.outcome).toEqual({ kind: 'pending' })
})

test('faults for any method come in order, and one may pass', async () => {
  await using at = await setUp()
  const { api, telegram } = at
  telegram.failNext(undefined, { kind: 'status', code: 500, description: 'a' }, undefined)
  telegram.fault = ({ method, params }) =>
    method === 'sendMessage' && params['text'] === 'b'
      ? { kind: 'status', code: 500, description: 'b' }
      : undefined
  await expect(api.getMe()).rejects.toMatchObject({ description: 'a' })
  await api.getMe()
  await expect(api.sendMessage(42, 'b')).rejects.toMatchObject({ description: 'b' })
  await api.sendMessage(42, 'c')
  telegram.fault = undefined
  await api.sendMessage(42, 'b')
})

test('faults by chance are the same for the same seed, about as often as asked', () => {
  const rates = [
    [{ kind: 'drop-before' }, 0.2],
    [{ kind: 'drop-after' }, 0.1],
  ] as const
  const drawn = (seed: number) => {
    const hook = randomFaults({ seed, rates, methods: ['sendMessage'] })
    return Array.from({ length: 2000 }, (_, index) => {
      const call: IncomingCall = { token: '', method: 'sendMessage', params: {}, index }
      return hook(call)?.kind
    })
  }
  expect(drawn(1)).toEqual(drawn(1))
  expect(drawn(1)).not.toEqual(drawn(2))
  const share = (kind: Fault['kind']) => drawn(3).filter((each) => each === kind).length / 2000
  expect(share('drop-before')).toBeCloseTo(0.2, 1)
  expect(share('drop-after')).toBeCloseTo(0.1, 1)
  const hook = randomFaults({ seed: 1, rates, methods: ['sendMessage'] })
  expect(hook({ token: '', method: 'getUpdates', params: {}, index: 0 })).toBeUndefined()
})
