import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { App, HTTPReceiver, LogLevel } from '@slack/bolt'
import { expect, test } from 'vitest'
import { setUp } from './set-up.ts'
import type { SlackStandIn } from './slack.ts'

/** Bolt's own receiver, which checks signatures. */
async function serveBolt(slack: SlackStandIn, secret = slack.signingSecret) {
  const receiver = new HTTPReceiver({ signingSecret: secret, logLevel: LogLevel.ERROR, port: 0 })
  const app = new App({
    receiver,
    token: slack.botToken,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.apiUrl },
  })
  const heard: unknown[] = []
  app.event('message', async ({ event }) => void heard.push(event))
  app.action('yes', async ({ ack, body }) => {
    heard.push(body)
    await ack()
  })
  app.command('/countersign', async ({ ack, command }) => {
    heard.push(command)
    await ack({ text: `you said ${command.text}` })
  })
  const server = await app.start(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/slack/events`,
    heard,
    [Symbol.asyncDispose]: async () => {
      await app.stop()
    },
  }
}

/** An URL that answers as told. */
async function serve(
  answer: (index: number) => { status: number; headers?: Record<string, string> } | undefined,
) {
  const requests: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }[] =
    []
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) })
    const told = answer(requests.length - 1)
    if (told === undefined) return
    response.writeHead(told.status, told.headers)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

test('Bolt takes what is signed: the question for its URL, events, clicks and commands', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  await using app = await serveBolt(slack)
  const http = slack.useHttp(app.url)
  expect(await http.verify()).toBe(true)
  general.say(ada, 'hello')
  await slack.waitFor(() => slack.quiet)
  const yes = {
    type: 'button' as const,
    action_id: 'yes',
    value: 'a=b&c',
    text: { type: 'plain_text' as const, text: 'Yes' },
  }
  const blocks = [{ type: 'actions' as const, elements: [yes] }]
  const { ts } = await web.chat.postMessage({ channel: general.id, text: 'card', blocks })
  expect(await general.click(ada, String(ts), 'Yes').outcome).toEqual({
    kind: 'acked',
    body: undefined,
  })
  await general.command(ada, '/countersign', 'status & more').outcome
  expect(general.ephemerals(ada)).toMatchObject([{ text: 'you said status & more' }])
  expect(app.heard).toMatchObject([
    { type: 'message', text: 'hello' },
    { type: 'block_actions', actions: [{ value: 'a=b&c' }] },
    { command: '/countersign', user_id: ada.id },
  ])
})

test('Bolt refuses what another secret signed', async () => {
  await using at = await setUp({ retryDelaysMs: [] })
  const { slack, ada, general } = at
  await using app = await serveBolt(slack, 'another-secret')
  expect(await slack.useHttp(app.url).verify()).toBe(false)
  general.say(ada, 'hello')
  await slack.waitFor(() => slack.quiet)
  expect(slack.deliveries[0]).toMatchObject({ state: 'given up' })
  expect(app.heard).toEqual([])
})

test('an event that fails comes again at most three times, with its number and the reason', async () => {
  await using at = await setUp({ ackTimeoutMs: 100, retryDelaysMs: [0, 10, 10] })
  const { slack, ada, general } = at
  await using app = await serve((index) => (index === 0 ? { status: 500 } : undefined))
  slack.useHttp(app.url)
  general.say(ada, 'hello')
  await slack.waitFor(() => slack.quiet)
  expect(
    app.requests.map(({ headers }) => [
      headers['x-slack-retry-num'],
      headers['x-slack-retry-reason'],
    ]),
  ).toEqual([
    [undefined, undefined],
    ['1', 'http_error'],
    ['2', 'http_timeout'],
    ['3', 'http_timeout'],
  ])
  expect(new Set(app.requests.map(({ body }) => body)).size).toBe(1)
  expect(slack.deliveries[0]?.state).toBe('given up')
})

test('who says so gets no retry, and a click is tried once', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  await using app = await serve(() => ({ status: 500, headers: { 'x-slack-no-retry': '1' } }))
  slack.useHttp(app.url)
  general.say(ada, 'hello')
  await slack.waitFor(() => slack.quiet)
  expect(app.requests).toHaveLength(1)
  const blocks = [
    {
      type: 'actions' as const,
      elements: [{ type: 'button' as const, text: { type: 'plain_text' as const, text: 'Yes' } }],
    },
  ]
  const { ts } = await web.chat.postMessage({ channel: general.id, text: 'card', blocks })
  await slack.waitFor(() => slack.quiet)
  const before = app.requests.length
  expect(await general.click(ada, String(ts), 'Yes').outcome).toMatchObject({
    kind: 'failed',
    reason: 'http_error',
  })
  expect(app.requests).toHaveLength(before + 1)
})
