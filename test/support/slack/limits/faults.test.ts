import { expect, test } from 'vitest'
import { setUp } from '../set-up.ts'

test('a connection dropped before has done nothing, one dropped after has done it', async () => {
  await using at = await setUp()
  const { slack, web, general } = at
  slack.failNext('chat.postMessage', { kind: 'drop-before' }, { kind: 'drop-after' })
  const write = (text: string) => web.chat.postMessage({ channel: general.id, text })
  await expect(write('before')).rejects.toMatchObject({ code: 'slack_webapi_request_error' })
  expect(general.messages()).toEqual([])
  await expect(write('after')).rejects.toMatchObject({ code: 'slack_webapi_request_error' })
  expect(general.messages().map(({ text }) => text)).toEqual(['after'])
  expect(slack.callsOf('chat.postMessage').map(({ outcome }) => outcome)).toEqual([
    { kind: 'dropped', done: false },
    { kind: 'dropped', done: true },
  ])
  expect(slack.faultsLeft).toBe(0)
})

test('a 429 names the time, and who comes earlier is told again', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { slack, web, general } = at
  slack.failNext('chat.postMessage', { kind: '429', retryAfter: 7 })
  const write = () => web.chat.postMessage({ channel: general.id, text: 'x' })
  await expect(write()).rejects.toMatchObject({
    code: 'slack_webapi_rate_limited_error',
    retryAfter: 7,
  })
  now += 5001
  await expect(write()).rejects.toMatchObject({ retryAfter: 2 })
  expect(slack.tooEarly).toBe(1)
  now += 2000
  await write()
  expect(general.messages()).toHaveLength(1)
})

test('who writes too often in a channel is stopped there, and by a tier everywhere', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now, limits: { perChannelPerSecond: 2, tiers: true } })
  const { slack, ada, general, call } = at
  const dm = slack.dm(ada)
  const write = async (channel: string) =>
    (await call('chat.postMessage', { channel, text: 'x' })).status
  expect([await write(general.id), await write(general.id), await write(general.id)]).toEqual([
    200, 200, 429,
  ])
  expect(await write(dm.id)).toBe(200)
  now += 1001
  expect(await write(general.id)).toBe(200)
  slack.rateLimits = { perMinute: { 'users.info': 1 } }
  const look = async () => (await call('users.info', { user: ada.id })).status
  expect([await look(), await look()]).toEqual([200, 429])
})

test('a status is a page, a garbled answer is none, and an error is what it says', async () => {
  await using at = await setUp()
  const { slack, web, general } = at
  slack.failNext(
    'chat.postMessage',
    { kind: 'status', code: 503 },
    { kind: 'garbled' },
    { kind: 'error', error: 'internal_error' },
  )
  const write = (text: string) => web.chat.postMessage({ channel: general.id, text })
  await expect(write('one')).rejects.toMatchObject({
    code: 'slack_webapi_http_error',
    statusCode: 503,
  })
  await expect(write('two')).rejects.toMatchObject({
    data: { ok: false, error: expect.stringContaining('<html>') },
  })
  await expect(write('three')).rejects.toMatchObject({ data: { error: 'internal_error' } })
  expect(general.messages().map(({ text }) => text)).toEqual(['two'])
})

test('a delayed call is done late, and a hook decides for the rest', async () => {
  await using at = await setUp()
  const { slack, web, general } = at
  slack.failNext(undefined, { kind: 'delay', ms: 200 }, undefined)
  slack.fault = ({ params }) =>
    params['text'] === 'bad' ? { kind: 'error', error: 'fatal_error' } : undefined
  const started = performance.now()
  await web.auth.test()
  expect(performance.now() - started).toBeGreaterThan(180)
  await web.chat.postMessage({ channel: general.id, text: 'bad' })
  await expect(web.chat.postMessage({ channel: general.id, text: 'bad' })).rejects.toMatchObject({
    data: { error: 'fatal_error' },
  })
})
