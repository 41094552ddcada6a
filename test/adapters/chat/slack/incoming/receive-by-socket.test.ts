import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SlackRefused } from '../../../../../src/adapters/chat/slack/connect.ts'
import { receiveBySocket } from '../../../../../src/adapters/chat/slack/incoming/receive-by-socket.ts'
import type {
  Payload,
  Taken,
} from '../../../../../src/adapters/chat/slack/incoming/take-envelope.ts'
import { createSlack, type SlackOptions } from '../../../../support/slack/slack.ts'
import { MemoryLog } from '../../telegram/incoming/memory-log.ts'

interface Given extends SlackOptions {
  readonly appToken?: string
  readonly take?: (handed: Payload) => Promise<Taken>
}

async function openReceiver({ appToken, take, ...options }: Given = {}) {
  const slack = await createSlack(options)
  const ada = slack.user('ada')
  const dm = slack.dm(ada)
  const ending = new AbortController()
  const handed: Payload[] = []
  const troubles: string[] = []
  let opened = 0
  const received = receiveBySocket({
    appToken: appToken ?? slack.appToken,
    apiUrl: slack.apiUrl,
    log: new MemoryLog(),
    signal: ending.signal,
    onReceiving: () => {
      opened += 1
    },
    onFailure: (why) => void troubles.push(why),
    take: async (given) => {
      handed.push(given)
      return (await take?.(given)) ?? { kind: 'done' }
    },
  })
  received.catch(() => undefined)
  return {
    slack,
    dm,
    ada,
    handed,
    troubles,
    received,
    opened: () => opened,
    end: () => ending.abort(),
    async [Symbol.asyncDispose]() {
      ending.abort()
      await received.catch(() => undefined)
      await slack[Symbol.asyncDispose]()
    },
  }
}

const patient = { timeout: 20_000 }

test('SLACK-01 a payload is taken, and confirmed once it is stored', async () => {
  await using at = await openReceiver()
  await expect.poll(at.opened, patient).toBe(1)
  at.dm.say(at.ada, 'hello')
  await at.slack.waitFor(() => at.slack.quiet)
  expect(at.handed).toMatchObject([{ body: { type: 'event_callback' }, retryNum: 0 }])
  expect(at.slack.deliveries[0]?.state).toBe('acked')
})

test('REL-01 SLACK-01 a payload that is not stored is not confirmed, and arrives again', async () => {
  let tries = 0
  let beforeLast = (): void => undefined
  await using at = await openReceiver({
    ackTimeoutMs: 200,
    retryDelaysMs: [0, 100, 100],
    take: async () => {
      tries += 1
      if (tries === 2) beforeLast()
      return { kind: tries < 3 ? 'kept' : 'done' }
    },
  })
  // What is confirmed counts, however long this machine takes to say so.
  beforeLast = () => {
    at.slack.ackTimeoutMs = 60_000
  }
  await expect.poll(at.opened, patient).toBe(1)
  at.dm.say(at.ada, 'hello')
  await at.slack.waitFor(() => at.slack.quiet)
  expect(at.handed.map(({ retryNum }) => retryNum)).toEqual([0, 1, 2])
  expect(at.slack.deliveries[0]?.state).toBe('acked')
})

test('SLACK-01 it reconnects when the link breaks, and when Slack requests it', async () => {
  await using at = await openReceiver({ retryDelaysMs: [3_000, 3_000, 3_000] })
  await expect.poll(at.opened, patient).toBe(1)
  at.slack.dropSockets()
  at.dm.say(at.ada, 'while nobody listens')
  await expect.poll(at.opened, patient).toBe(2)
  at.slack.askToReconnect()
  await expect.poll(at.opened, patient).toBe(3)
  await expect.poll(() => at.handed.length, patient).toBe(1)
})

test('SLACK-01 it retries, and reports why, if Slack is unreachable, busy, or closes connections at once', async () => {
  const faults = [
    { kind: 'drop-before' },
    { kind: 'status', code: 502 },
    { kind: '429', retryAfter: 1 },
  ] as const
  await using at = await openReceiver({
    fault: ({ method, index }) => (method === 'apps.connections.open' ? faults[index] : undefined),
  })
  await expect.poll(at.opened, { timeout: 40_000 }).toBe(1)
  expect(at.troubles[0]).toMatch(/^no connection yet \(no answer \(\w+\)\); trying on\.$/)
  expect(at.troubles.slice(1)).toEqual([
    'no connection yet (Slack is in trouble (502)); trying on.',
    'no connection yet (Slack asks to wait); trying on.',
  ])
  expect(at.slack.tooEarly).toBe(0)
}, 60_000)

test('SLACK-01 connections that close at once are reopened after a delay', async () => {
  await using at = await openReceiver()
  const until = performance.now() + 3_500
  while (performance.now() < until) {
    at.slack.dropSockets()
    await sleep(20)
  }
  expect(at.slack.callsOf('apps.connections.open').length).toBeLessThan(6)
})

test('SLACK-01 REL-02 a connection that delivered something is reopened at once, however soon it breaks', async () => {
  await using at = await openReceiver()
  const startedAt = performance.now()
  for (let round = 1; round <= 5; round += 1) {
    await at.slack.waitFor(() => at.slack.sockets.open > 0)
    at.dm.say(at.ada, `round ${round}`)
    await expect.poll(() => at.handed.length, patient).toBeGreaterThanOrEqual(round)
    at.slack.dropSockets()
    await at.slack.waitFor(() => at.slack.sockets.ever > round)
  }
  // Pauses that double would take half a minute.
  expect(performance.now() - startedAt).toBeLessThan(25_000)
})

test.each([
  ['a bot token', 'xoxb-wrong', /SLACK_APP_TOKEN/],
  ['a token that is none', 'xapp-wrong', /SLACK_APP_TOKEN/],
])(
  'SLACK-01 %s is refused, with a message that states the remedy',
  async (_name, appToken, words) => {
    await using at = await openReceiver({ appToken })
    const error = await at.received.catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(SlackRefused)
    expect(String(error)).toMatch(words)
    expect(String(error)).not.toContain('wrong')
  },
)

test.each([
  ['while it is connected', undefined],
  ['while it asks for an address', { kind: 'hang' } as const],
  ['while it waits for its next try', { kind: '429', retryAfter: 60 } as const],
])('SLACK-01 it stops at once %s', async (_name, fault) => {
  await using at = await openReceiver({ fault: () => fault })
  if (fault === undefined) await expect.poll(at.opened, patient).toBe(1)
  else await expect.poll(() => at.slack.callsOf('apps.connections.open').length, patient).toBe(1)
  await sleep(100)
  const startedAt = performance.now()
  at.end()
  await at.received
  // Whatever it waits for would take 20 s or more.
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  await expect.poll(() => at.slack.sockets.open).toBe(0)
})
