import { expect, test } from 'vitest'
import {
  AgentSessions,
  type SessionOptions,
} from '../../../../../src/edges/chat/slack/outgoing/agent-sessions.ts'
import { openOutgoing } from './outgoing-place.ts'

const setStatus = 'agents.sessions.setStatus'

async function open(options: SessionOptions = {}) {
  const out = await openOutgoing()
  const sessions = new AgentSessions(out.client, options)
  const thread = out.general.say(out.ada, 'hello')
  return {
    ...out,
    sessions,
    thread,
    place: { channel: out.general.id, thread },
    status: () => out.general.session(thread)?.status,
    said: () => out.slack.callsOf(setStatus).map(({ params }) => params['status']),
    async [Symbol.asyncDispose]() {
      sessions.close()
      await out[Symbol.asyncDispose]()
    },
  }
}

test('SLACK-05 of what is wanted in a thread the last is said last, however long a call takes', async () => {
  await using at = await open()
  at.slack.failNext(setStatus, { kind: 'delay', ms: 200 })
  at.sessions.working(at.place)
  at.sessions.waiting(at.place)
  at.sessions.over(at.place)
  await at.slack.waitFor(() => at.status() === 'active')
  expect(at.said()).toEqual(['processing', 'active'])
})

test('SLACK-05 CHAT-06 the end of a turn that Slack asks to wait with is told when it may', async () => {
  await using at = await open()
  at.sessions.working(at.place)
  await at.slack.waitFor(() => at.status() === 'processing')
  at.slack.failNext(setStatus, { kind: '429', retryAfter: 1 })
  at.sessions.over(at.place)
  await at.slack.waitFor(() => at.status() === 'active')
})

test('SLACK-05 CHAT-06 it is told again where no answer came, and not for ever', async () => {
  await using at = await open()
  at.slack.failNext(setStatus, { kind: 'drop-before' })
  at.sessions.over(at.place)
  await at.slack.waitFor(() => at.status() === 'active')
  expect(at.said()).toHaveLength(2)
})

test('SLACK-05 a turn that ended without a word is looked for, and its thread is free; one that goes on is left', async () => {
  let idle: readonly string[] = []
  const idleOf = async (places: readonly string[]) => places.filter((each) => idle.includes(each))
  const underWay = { idleOf, endedWithin: async () => [] }
  await using at = await open({ underWay, lookEveryMs: 50 })
  await at.sessions.thinking(at.place)
  await at.sessions.settle(at.place)
  expect(at.status()).toBe('processing')
  idle = [`${at.general.id}/${at.thread}`]
  await at.slack.waitFor(() => at.status() === 'active')
  await at.slack.waitFor(() => at.general.status(at.thread) === '')
})

test('SLACK-05 what a process left as under way is cleared by the next, but where a turn goes on', async () => {
  await using at = await open()
  at.sessions.working(at.place)
  await at.slack.waitFor(() => at.status() === 'processing')
  const endedWithin = async () => [`${at.general.id}/${at.thread}`, at.general.id]
  const underWay = { idleOf: async () => [], endedWithin }
  const next = new AgentSessions(at.client, { underWay })
  await next.clearEnded()
  expect(at.status()).toBe('active')
  at.sessions.working(at.place)
  next.close()
})

test('SLACK-05 who stopped in vain sees again that the app is at work', async () => {
  await using at = await open({
    underWay: { idleOf: async () => [], endedWithin: async () => [] },
  })
  at.sessions.working(at.place)
  await at.slack.waitFor(() => at.status() === 'processing')
  await at.sessions.stopped(at.place)
  await at.slack.waitFor(() => at.said().length === 2)
  expect(at.said()).toEqual(['processing', 'processing'])
})

test('SLACK-01 the words below a thread go when a turn is over, though its answer was an edit', async () => {
  await using at = await open()
  await at.sessions.thinking(at.place)
  expect(at.general.status(at.thread)).toBe('is thinking…')
  at.sessions.over(at.place)
  await at.slack.waitFor(() => at.general.status(at.thread) === '')
})
