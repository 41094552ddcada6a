import { expect, test } from 'vitest'
import type { StreamedTurn } from '../../../../../src/adapters/chat/outgoing/messenger.ts'
import { AgentSessions } from '../../../../../src/adapters/chat/slack/outgoing/agent-sessions.ts'
import { createMessenger } from '../../../../../src/adapters/chat/slack/outgoing/create-messenger.ts'
import { TurnStreams } from '../../../../../src/adapters/chat/slack/outgoing/turn-streams.ts'
import { createSlackCanvas } from '../../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { openOutgoing } from './outgoing-place.ts'

const slackCanvas = createSlackCanvas(english)

const nothing = async () => undefined

/** Ada's thread with the app, and streams in it, by a clock that stands still. */
async function open() {
  const out = await openOutgoing()
  const thread = out.slack.assistant(out.ada)
  const place = { channel: thread.id, thread: thread.threadTs }
  const clock = { now: 0 }
  const sessions = new AgentSessions(out.client, { now: () => clock.now })
  const streams = new TurnStreams(out.client, sessions, () => clock.now)
  const turn = (text: string, given: Partial<StreamedTurn> = {}): StreamedTurn => ({
    place: `${thread.id}/${thread.threadTs}`,
    turnId: 't1',
    messageId: undefined,
    askedBy: `slack:${out.slack.teamId}:${out.ada.id}`,
    running: { text, epoch: 1, steps: [], doing: 'writing' },
    buttons: async () => ({}),
    ...given,
  })
  const callsOf = (method: string) => out.slack.callsOf(method).length
  return Object.assign(out, { thread, place, clock, sessions, streams, turn, callsOf })
}

test.concurrent('SLACK-03 a stream lasts four minutes, and as long as it is added to', async () => {
  await using at = await open()
  const { streams, turn, clock, thread } = at
  const ts = (await streams.show(turn('one two'))) ?? ''
  expect(await streams.show(turn('one two three', { messageId: ts }))).toBe(ts)
  clock.now = 7_000
  expect(await streams.show(turn('one two three', { messageId: ts }))).toBe(ts)
  clock.now = 9_000
  expect(await streams.show(turn('one two three', { messageId: ts }))).toBeUndefined()
  expect(await streams.show(turn('one two three four', { messageId: ts }))).toBeUndefined()
  await streams.change(at.place, ts, nothing)
  expect(thread.message(ts)).toMatchObject({ streaming: 'completed', text: 'one two ' })
  const late = (await streams.show(turn('one two'))) ?? ''
  clock.now += 240_000
  expect(await streams.show(turn('one two three', { messageId: late }))).toBeUndefined()
})

test.concurrent('SLACK-05 LOOP-14 a stream started before Slack knew of its turn has our own Stop button', async () => {
  await using at = await open()
  const { sessions, streams, turn, thread, slack, place } = at
  const stop = { label: 'Stop', action: 'stop', token: 'a-token' } as const
  const buttons = async () => ({ buttons: [[stop]] })
  sessions.working(place)
  await slack.waitFor(() => sessions.hasStop(place))
  const first = (await streams.show(turn('one two', { buttons }))) ?? ''
  expect(thread.message(first).buttons).toEqual([])
  await streams.change(place, first, nothing)
  slack.failNext('agents.sessions.setStatus', { kind: '429', retryAfter: 30 })
  sessions.working(place)
  const next = (await streams.show(turn('three four', { buttons }))) ?? ''
  expect(thread.message(next).buttons).toMatchObject([{ label: 'Stop' }])
  sessions.close()
})

test.concurrent('SLACK-03 a stream shows one turn, to its owner', async () => {
  await using at = await open()
  const { streams, turn, thread, general, ada, callsOf } = at
  const root = general.say(ada, 'hello')
  expect(await streams.show(turn('one two', { place: `${general.id}/${root}` }))).toBeUndefined()
  expect(await streams.show(turn('one two', { place: thread.id }))).toBeUndefined()
  expect(await streams.show(turn('one two', { askedBy: 'telegram:42' }))).toBeUndefined()
  expect(await streams.show(turn('one two', { askedBy: undefined }))).toBeUndefined()
  expect(callsOf('chat.startStream')).toBe(0)
  const messageId = (await streams.show(turn('one two'))) ?? ''
  expect(await streams.show(turn('one two three', { messageId, turnId: 't2' }))).toBeUndefined()
})

test.concurrent('SLACK-03 a stream stopped by a person shows no more', async () => {
  await using at = await open()
  const { streams, turn, thread, ada, callsOf } = at
  const messageId = (await streams.show(turn('one two'))) ?? ''
  thread.pressStop(ada, thread.threadTs)
  expect(await streams.show(turn('one two three', { messageId }))).toBe(messageId)
  expect(await streams.show(turn('one two three four', { messageId }))).toBe(messageId)
  expect(callsOf('chat.appendStream')).toBe(1)
  await streams.change(at.place, messageId, nothing)
  expect(thread.message(messageId).text).toBe('one ')
})

test.concurrent('SLACK-03 in a conversation without streams none is requested again, and others continue', async () => {
  await using at = await open()
  const { streams, turn, slack, callsOf } = at
  slack.failNext('chat.startStream', { kind: 'error', error: 'channel_type_not_supported' })
  expect(await streams.show(turn('one two'))).toBeUndefined()
  expect(await streams.show(turn('one two'))).toBeUndefined()
  expect(callsOf('chat.startStream')).toBe(1)
  const other = slack.assistant(at.ada)
  const place = `${other.id}/${other.threadTs}`
  expect(await streams.show(turn('one two', { place }))).toBeDefined()
})

test.concurrent('SLACK-03 CHAT-04 a chunk that may have arrived is not repeated: the message is edited', async () => {
  await using at = await open()
  const { streams, turn, slack } = at
  const messageId = (await streams.show(turn('one two'))) ?? ''
  slack.failNext('chat.appendStream', { kind: 'drop-after' })
  await expect(streams.show(turn('one two three', { messageId }))).rejects.toThrow()
  expect(await streams.show(turn('one two three four', { messageId }))).toBeUndefined()
})

test.concurrent('SLACK-03 CHAT-06 a stream of an earlier process ends before its message is edited or deleted', async () => {
  await using at = await open()
  const { streams, turn, thread, client, callsOf } = at
  const ids = [await streams.show(turn('one two')), await streams.show(turn('three four'))]
  const [edited = '', removed = ''] = ids
  const messenger = createMessenger(client, english)
  const { place } = turn('')
  await messenger.edit(place, edited, slackCanvas.draw([{ text: 'All of it.', marks: {} }]))
  expect(thread.message(edited)).toMatchObject({ text: 'All of it.', streaming: 'completed' })
  await messenger.remove(place, removed)
  expect(() => thread.message(removed)).toThrow('not there')
  expect(callsOf('chat.stopStream')).toBe(2)
})

test.concurrent('SLACK-03 CHAT-04 a stream that ends slowly prevents a transient edit; a delayed deletion is repeated later', async () => {
  await using at = await open()
  const { streams, turn, thread, slack } = at
  const late = (await streams.show(turn('one two'))) ?? ''
  const ending = new AbortController()
  const changes: string[] = []
  ending.abort()
  await streams.change(at.place, late, async () => changes.push('late'), ending.signal)
  expect(changes).toEqual([])
  const removed = (await streams.show(turn('three four'))) ?? ''
  for (let times = 0; times < 2; times += 1)
    slack.failNext('chat.stopStream', { kind: '429', retryAfter: 1 })
  await streams.remove(at.place, removed)
  expect(thread.message(removed).streaming).toBe('in_progress')
  await slack.waitFor(() => !thread.messages().some(({ ts }) => ts === removed))
})

test.concurrent('SLACK-03 a process that ends leaves no open stream', async () => {
  await using at = await open()
  const { thread, turn, client } = at
  const messenger = createMessenger(client, english)
  const ts = (await messenger.stream?.(turn('one two'), AbortSignal.timeout(60_000))) ?? ''
  await messenger.close?.()
  expect(thread.message(ts).streaming).toBe('completed')
})
