import { expect, test } from 'vitest'
import { listenTo, setUp } from './set-up.ts'

test('what is not acknowledged comes again, with the same id and the reason', async () => {
  await using at = await setUp({ ackTimeoutMs: 100, retryDelaysMs: [0, 50, 50] })
  const { slack, ada, general } = at
  await using app = await listenTo(slack, (heard) => (heard.retry === 2 ? heard.ack() : undefined))
  general.say(ada, 'hello')
  await slack.waitFor(() => slack.quiet)
  expect(app.heard.map(({ retry }) => retry)).toEqual([0, 1, 2])
  expect(new Set(app.heard.map(({ body }) => body['event_id'])).size).toBe(1)
  expect(slack.deliveries[0]?.tries.map(({ retry }) => retry?.reason)).toEqual([
    undefined,
    'timeout',
    'timeout',
  ])
})

test('an event that nobody acknowledges is given up, and so is one that nobody is there for', async () => {
  await using at = await setUp({ ackTimeoutMs: 20, retryDelaysMs: [0, 10] })
  const { slack, ada, general } = at
  general.say(ada, 'hello')
  await slack.waitFor(() => slack.quiet)
  expect(slack.deliveries[0]).toMatchObject({ state: 'given up' })
  expect(slack.deliveries[0]?.tries).toHaveLength(3)
})

test('each envelope goes to one of several connections', async () => {
  await using at = await setUp()
  const { slack, ada, general } = at
  await using first = await listenTo(slack)
  await using second = await listenTo(slack)
  for (const text of ['one', 'two', 'three', 'four']) general.say(ada, text)
  await slack.waitFor(() => slack.quiet)
  expect([first.heard.length, second.heard.length]).toEqual([2, 2])
  expect(slack.sockets).toEqual({ open: 2, ever: 2 })
})

test('a connection that is told to go gets nothing new, and the app connects anew', async () => {
  await using at = await setUp({ retryDelaysMs: [1000, 2000, 4000] })
  const { slack, ada, general } = at
  await using app = await listenTo(slack)
  slack.askToReconnect()
  await slack.waitFor(() => slack.sockets.ever === 2)
  general.say(ada, 'after')
  await slack.waitFor(() => app.heard.length === 1)
  slack.dropSockets()
  general.say(ada, 'while nobody listens')
  await slack.waitFor(() => slack.sockets.ever === 3)
  await slack.waitFor(() => slack.quiet)
  expect(app.heard.map(({ body }) => (body['event'] as Record<string, unknown>)['text'])).toEqual([
    'after',
    'while nobody listens',
  ])
})

test('an event is sent once more under the same id', async () => {
  await using at = await setUp()
  const { slack, ada, general } = at
  await using app = await listenTo(slack)
  general.say(ada, 'hello')
  await slack.waitFor(() => slack.quiet)
  const [record] = slack.deliveries
  if (record !== undefined) slack.repeat(record)
  await slack.waitFor(() => app.heard.length === 2)
  expect(app.heard[1]).toMatchObject({
    retry: 1,
    body: { event_id: app.heard[0]?.body['event_id'] },
  })
})

test('a ticket opens one connection, and none opens without', async () => {
  await using at = await setUp()
  const { slack, call } = at
  const { url } = await call('apps.connections.open', {}, slack.appToken)
  const open = async () => {
    const socket = new WebSocket(String(url))
    const { promise, resolve } = Promise.withResolvers<string>()
    socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data)).type))
    socket.addEventListener('error', () => resolve('refused'))
    const said = await promise
    socket.close()
    return said
  }
  expect(await open()).toBe('hello')
  expect(await open()).toBe('refused')
  expect(await call('apps.connections.open')).toMatchObject({ error: 'not_allowed_token_type' })
})

test('events come only when they are subscribed to, allowed, and the app is there', async () => {
  await using at = await setUp({
    events: ['message.channels', 'message.im', 'app_mention'],
    scopes: ['channels:history', 'app_mentions:read', 'chat:write'],
  })
  const { slack, ada, general } = at
  slack.dm(ada).say(ada, 'im:history is missing')
  slack.channel({ name: 'secret', members: [ada], isPrivate: true }).say(ada, 'not subscribed')
  const elsewhere = slack.channel({ name: 'elsewhere', members: [ada], app: false })
  elsewhere.say(ada, `${slack.mention} not here`)
  expect(slack.deliveries).toEqual([])
  general.say(ada, `${slack.mention} here`)
  expect(slack.deliveries).toHaveLength(2)
})
