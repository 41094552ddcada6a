import { setTimeout as delay } from 'node:timers/promises'
import { webApi } from '@slack/bolt'
import { expect, test, vi } from 'vitest'
import {
  AgentSessions,
  type SessionOptions,
} from '../../../../../src/adapters/chat/slack/outgoing/agent-sessions.ts'
import type { ActivityState } from '../../../../../src/domain/turn.ts'
import { openOutgoing } from './outgoing-place.ts'

const setStatus = 'agents.sessions.setStatus'

/** Ada's thread in a channel, whose turns are at what a test says. */
async function open(options: SessionOptions = {}) {
  const out = await openOutgoing()
  const rows: { state: ActivityState } = { state: 'idle' }
  const statesOf = async (places: readonly string[]) =>
    new Map(places.map((each) => [each, rows.state]))
  const turnStates = { statesOf, endedWithin: async () => [] }
  const sessions = new AgentSessions(out.client, { turnStates, ...options })
  const thread = out.general.say(out.ada, 'hello')
  return {
    ...out,
    sessions,
    thread,
    place: { channel: out.general.id, thread },
    settle: (state: ActivityState) => {
      rows.state = state
      return sessions.settle({ channel: out.general.id, thread })
    },
    is: (state: ActivityState) => {
      rows.state = state
    },
    status: () => out.general.session(thread)?.status,
    said: () => out.slack.callsOf(setStatus).map(({ params }) => params['status']),
    async [Symbol.asyncDispose]() {
      sessions.close()
      await out[Symbol.asyncDispose]()
    },
  }
}

test('SLACK-05 the last requested state of a thread is sent last, however long a call takes', async () => {
  await using at = await open()
  at.slack.failNext(setStatus, { kind: 'delay', ms: 3_000 })
  at.sessions.working(at.place)
  await at.settle('waiting')
  await at.settle('idle')
  await at.slack.waitFor(() => at.status() === 'active')
  expect(at.said()).toEqual(['processing', 'active'])
})

test('SLACK-05 CHAT-06 the end of a turn is sent after the time for which Slack asked to wait', async () => {
  await using at = await open()
  at.sessions.working(at.place)
  await at.slack.waitFor(() => at.status() === 'processing')
  at.slack.failNext(setStatus, { kind: '429', retryAfter: 1 })
  await at.settle('idle')
  await at.slack.waitFor(() => at.status() === 'active')
})

test('SLACK-05 CHAT-06 a state without an answer is sent again', async () => {
  await using at = await open()
  at.slack.failNext(setStatus, { kind: 'drop-before' })
  await at.settle('idle')
  await at.slack.waitFor(() => at.status() === 'active')
  expect(at.said()).toHaveLength(2)
})

test('SLACK-05 CHAT-06 the end of a turn is repeated until Slack accepts it, and not afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'performance'] })
  const said: string[] = []
  let isAway = false
  const setStatus = async ({ status }: { readonly status: string }) => {
    if (isAway) throw new webApi.WebAPIHTTPError(503, 'Service Unavailable', {})
    said.push(status)
    return { ok: true }
  }
  const nothing = { threads: { setStatus: async () => ({ ok: true }) } }
  const client = { agents: { sessions: { setStatus } }, assistant: nothing }
  const sessions = new AgentSessions(client as unknown as webApi.WebClient)
  try {
    const place = { channel: 'C1', thread: '1.1' }
    sessions.working(place)
    isAway = true
    await sessions.settle(place)
    await vi.advanceTimersByTimeAsync(300_000)
    expect(said).toEqual(['processing'])
    isAway = false
    await vi.advanceTimersByTimeAsync(30_000)
    expect(said).toEqual(['processing', 'active'])
    await vi.advanceTimersByTimeAsync(600_000)
    expect(said).toEqual(['processing', 'active'])
  } finally {
    sessions.close()
    vi.useRealTimers()
  }
})

test('SLACK-05 a turn that ended silently is found, and its status cleared; one that continues keeps it', async () => {
  await using at = await open({ checkIntervalMs: 50 })
  await at.sessions.thinking(at.place)
  await at.settle('working')
  expect(at.status()).toBe('processing')
  at.is('idle')
  await at.slack.waitFor(() => at.status() === 'active')
  await at.slack.waitFor(() => at.general.status(at.thread) === '')
})

test('SLACK-05 APPR-18 a turn approved elsewhere is found, and its status is not repeated', async () => {
  await using at = await open({ checkIntervalMs: 50 })
  await at.settle('waiting')
  expect(at.status()).toBe('suspended')
  at.is('working')
  await at.slack.waitFor(() => at.status() === 'processing')
  await delay(300)
  expect(at.said()).toEqual(['suspended', 'processing'])
})

test('SLACK-05 statuses left by an earlier process are cleared, except for turns that continue', async () => {
  await using at = await open()
  at.sessions.working(at.place)
  await at.slack.waitFor(() => at.status() === 'processing')
  const endedWithin = async () => [`${at.general.id}/${at.thread}`, at.general.id]
  const turnStates = { statesOf: async () => new Map(), endedWithin }
  const next = new AgentSessions(at.client, { turnStates })
  await next.clearEnded()
  expect(at.status()).toBe('active')
  at.sessions.working(at.place)
  next.close()
})

test('SLACK-05 after a stop without effect the thread shows again that a turn is running', async () => {
  await using at = await open()
  at.is('working')
  at.sessions.working(at.place)
  await at.slack.waitFor(() => at.status() === 'processing')
  await at.sessions.stopped(at.place)
  await at.slack.waitFor(() => at.said().length === 2)
  expect(at.said()).toEqual(['processing', 'processing'])
})

test('SLACK-01 the text below a thread is removed when a turn ends, even if its answer was an edit', async () => {
  await using at = await open()
  await at.sessions.thinking(at.place)
  expect(at.general.status(at.thread)).toBe('is thinking…')
  await at.settle('idle')
  await at.slack.waitFor(() => at.general.status(at.thread) === '')
})
