import { webApi } from '@slack/bolt'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ThreadState } from '../../../../../src/adapters/chat/slack/outgoing/thread-state.ts'

const place = { channel: 'C1', thread: '1.1' }
const away = new webApi.WebAPIHTTPError(503, 'Service Unavailable', {})
const gone = new webApi.WebAPIPlatformError({ ok: false, error: 'channel_not_found' })

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Notes what is said, and fails as long as there is an error. */
function open() {
  const slack: { said: string[]; error: Error | undefined } = { said: [], error: undefined }
  const last = new ThreadState<'on' | 'off'>({
    send: async (_place, state) => {
      slack.said.push(state)
      if (slack.error !== undefined) throw slack.error
    },
    initial: undefined,
    freshMs: 60_000,
    now: () => performance.now(),
  })
  return { slack, last, [Symbol.dispose]: () => last.close() }
}

test('SLACK-05 CHAT-06 a state that could not be sent is not retried forever, and is sent when it is requested again', async () => {
  using at = open()
  at.slack.error = away
  await at.last.request(place, 'off')
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(at.slack.said).toHaveLength(5)
  expect(at.last.shown(place)).toBeUndefined()
  expect(at.last.isSettled(place, 'off')).toBe(false)
  await at.last.request(place, 'off')
  expect(at.slack.said).toHaveLength(6)
  at.slack.error = undefined
  await at.last.request(place, 'off')
  expect(at.slack.said).toHaveLength(6)
  await vi.advanceTimersByTimeAsync(10_000)
  await at.last.request(place, 'off')
  expect(at.slack.said).toHaveLength(7)
  expect(at.last.shown(place)).toBe('off')
  expect(at.last.isSettled(place, 'off')).toBe(true)
})

test('SLACK-05 CHAT-06 a state that Slack refuses for a thread is not retried there, and does not count as sent', async () => {
  using at = open()
  at.slack.error = gone
  await at.last.request(place, 'off')
  await at.last.request(place, 'off')
  expect(at.slack.said).toHaveLength(1)
  expect(at.last.shown(place)).toBeUndefined()
  expect(at.last.isSettled(place, 'off')).toBe(true)
  at.slack.error = undefined
  await at.last.request({ channel: 'C2', thread: '1.1' }, 'on')
  expect(at.slack.said).toHaveLength(2)
})
