import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import type { AssistantHandle } from '../../support/slack/people/assistant-handle.ts'
import type { SeenChange, SeenMessage } from '../../support/slack/people/seen.ts'
import { createSlackFlow } from '../../support/slack-flow.ts'
import { writeRules } from '../../support/write-rules.ts'
import { createScenes } from '../telegram/scenes.ts'
import { letGo, printing } from '../workspace-commands.ts'
import { openStage, type Stage, wordsOf } from './stage.ts'

const written = Array.from({ length: 25 }, (_, index) => `word${index}`).join(' ')

/** Writes a text word by word for some five seconds. */
function slowly(text: string) {
  return async ({ onText, signal }: ModelRequest): Promise<ModelAnswer> => {
    for (const [index, word] of text.split(' ').entries()) {
      onText?.(index === 0 ? word : ` ${word}`)
      await delay(200, undefined, { signal })
    }
    return say(text)
  }
}

function answersIn(thread: AssistantHandle): SeenMessage[] {
  return thread.botMessages().filter(({ threadTs }) => threadTs === thread.threadTs)
}

function growing({ history }: AssistantHandle): SeenChange[] {
  return history.filter(({ message }) => message.streaming === 'in_progress')
}

describe('turns as streams of Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
    await writeRules(stage.flow.dataDir, '{ "*": "ask", "bash": "allow" }\n')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('SLACK-03 CHAT-04 in a thread of direct messages an answer grows, word by word, in a stream whose place it takes', async () => {
    const { flow, scenes } = stage
    scenes.on('slowly', slowly(written))
    const thread = flow.slack.assistant(stage.guest())
    thread.write('slowly')
    await thread.waitForMessage(
      ({ text, streaming }) => text === written && streaming === 'completed',
    )
    await flow.settled(`${thread.id}/${thread.threadTs}`)
    expect(answersIn(thread).map(({ text }) => text)).toEqual([written])
    const grew = growing(thread).map(({ message }) => message.text)
    expect(grew.length).toBeGreaterThanOrEqual(2)
    for (const text of grew) expect(written.startsWith(text)).toBe(true)
    expect(flow.slack.callsOf('chat.update')).toHaveLength(1)
    expect(flow.slack.callsOf('chat.stopStream')).toHaveLength(1)
  })

  test('SLACK-03 THREAT-23 nothing that a model streams, or a tool prints, is a mention or a link while it grows', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const evil = `<!channel> <@${stage.eve.id}> @channel [you](https://evil.example) <https://evil.example|bank> & `
    scenes.on('be evil', slowly(`${evil}${evil}`.trim()))
    const command = `until [ -e go ]; do echo "$SECONDS <!channel> @here"; sleep 1; done`
    scenes.on('print evil', call('bash', { command }), say('Printed.'))
    const [one, other] = [slack.assistant(stage.guest()), slack.assistant(stage.guest())]
    one.write('be evil')
    other.write('print evil')
    await slack.waitFor(
      () => growing(other).length > 3 && growing(other).at(-1)?.message.text.includes('channel>'),
    )
    await letGo(stage, `${other.id}/${other.threadTs}`)
    await other.waitForText('Printed.')
    await one.waitForMessage(({ streaming }) => streaming === 'completed')
    await flow.settled(`${one.id}/${one.threadTs}`)
    const changes = [...growing(one), ...growing(other)]
    expect(changes.length).toBeGreaterThanOrEqual(4)
    for (const { message } of changes) {
      expect(message.notified).toEqual({ users: [], broadcasts: [], groups: [] })
      expect(message.text).not.toContain('<')
      expect(message.text).not.toContain('](')
    }
    expect(growing(other).at(-1)?.message.text).toContain('‹!channel>')
    expect(answersIn(one).at(-1)?.text).toContain('<!channel>')
  })

  test('SLACK-05 while steps run a plan says which, for how long and what they printed last; the answer takes its place', async () => {
    const { flow, scenes } = stage
    // Long enough that Slack shows its own status and stop control.
    const run = () => delay(500, call('bash', { command: printing }))
    scenes.on('steps', run, slowly(`Done: ${written}`))
    const thread = flow.slack.assistant(stage.guest())
    thread.write('steps')
    const running = await thread.waitForMessage(({ text }) => /bash · \d+ s · line-\d/.test(text))
    await letGo(stage, `${thread.id}/${thread.threadTs}`)
    expect(running.blocks).toMatchObject([
      { type: 'plan', title: 'Working…', tasks: [{ type: 'task_card', status: 'in_progress' }] },
    ])
    const writing = await thread.waitForMessage(({ text }) => text.includes('Done: word0'))
    expect(writing).toMatchObject({ ts: running.ts, streaming: 'in_progress' })
    expect(writing.blocks[0]).toMatchObject({ tasks: [{ status: 'complete' }] })
    await thread.waitForMessage(({ text }) => text === `Done: ${written}`)
    await flow.settled(`${thread.id}/${thread.threadTs}`)
    expect(answersIn(thread)).toHaveLength(1)
  })

  test('SLACK-03 in a channel everybody reads along: by edits, as a stream shows to one person alone', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    scenes.on('to all', slowly(written))
    const ada = stage.guest()
    const channel = slack.channel({ name: 'all', members: [ada, stage.eve] })
    channel.say(ada, `${slack.mention} to all`)
    await channel.waitForMessage(({ text }) => text === written)
    const starts = slack.callsOf('chat.startStream').map(({ params }) => params['channel'])
    expect(starts).not.toContain(channel.id)
    expect(wordsOf(channel)).toEqual([written])
  })

  test('SLACK-03 a request to wait, while it begins and while it goes on, is obeyed, and the answer comes whole', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    scenes.on('with pauses', slowly(written))
    const early = slack.tooEarly
    const [one, other] = [slack.assistant(stage.guest()), slack.assistant(stage.guest())]
    slack.failNext('chat.appendStream', { kind: '429', retryAfter: 2 })
    one.write('with pauses')
    await one.waitForMessage(({ text }) => text === written)
    slack.failNext('chat.startStream', { kind: '429', retryAfter: 3 })
    other.write('with pauses')
    await other.waitForMessage(({ text }) => text === written)
    for (const thread of [one, other]) {
      await flow.settled(`${thread.id}/${thread.threadTs}`)
      expect(answersIn(thread).map(({ text }) => text)).toEqual([written])
    }
    expect(slack.faultsLeft).toBe(0)
    expect(slack.tooEarly).toBe(early)
    expect(growing(other)).toEqual([])
    // The limit was the method's, for a while.
    await delay(3_000)
    other.write('slowly')
    await slack.waitFor(() => growing(other).length > 0)
    await other.waitForMessage(
      ({ text, streaming }) => text === written && streaming === 'completed',
    )
  })

  test('SLACK-03 a stream that Slack ends in the middle goes on by edits of the same message', async () => {
    const { flow, scenes } = stage
    scenes.on('ended', slowly(written))
    const thread = flow.slack.assistant(stage.guest())
    thread.write('ended')
    await flow.slack.waitFor(() => growing(thread).length > 0)
    flow.slack.failNext('chat.appendStream', {
      kind: 'error',
      error: 'message_not_in_streaming_state',
    })
    await thread.waitForMessage(({ text }) => text.endsWith('⏳ writing'))
    await thread.waitForMessage(({ text }) => text === written)
    await flow.settled(`${thread.id}/${thread.threadTs}`)
    expect(answersIn(thread)).toHaveLength(1)
  })
})

test('SLACK-03 where an app has no streams it is asked once, and answers by edits', async () => {
  await using stage = await openStage()
  const { flow, scenes } = stage
  const { slack } = flow
  scenes.on('slowly', slowly(written))
  slack.failNext('chat.startStream', { kind: 'error', error: 'unknown_method' })
  for (const thread of [slack.assistant(stage.guest()), slack.assistant(stage.guest())]) {
    thread.write('slowly')
    await thread.waitForMessage(({ text }) => text === written)
    expect(thread.history.length).toBeGreaterThan(2)
  }
  expect(slack.callsOf('chat.startStream')).toHaveLength(1)
})

test('SLACK-03 CHAT-06 a stream that a process left open when it ended is taken over by the next, and becomes the answer', async () => {
  const model = createScenes()
  const settings = { COUNTERSIGN_SLACK_ALLOWED_USERS: 'U0ADA00001' }
  await using first = await createSlackFlow({ model, settings })
  const { slack } = first
  model.on('long', slowly(written))
  const ada = slack.user('ada', { id: 'U0ADA00001' })
  const thread = slack.assistant(ada)
  thread.write('long')
  const streamed = await thread.waitForMessage(({ streaming }) => streaming === 'in_progress')
  // As after kill -9: nothing that it wants to say to Slack arrives any more.
  slack.fault = ({ params }) =>
    params['ts'] === streamed.ts ? { kind: 'error', error: 'service_unavailable' } : undefined
  await first.served[Symbol.asyncDispose]()
  await first.product[Symbol.asyncDispose]()
  expect(thread.message(streamed.ts).streaming).toBe('in_progress')
  slack.fault = undefined
  await using second = await createSlackFlow({ model, over: first, standIn: slack, settings })
  await thread.waitForMessage(({ ts, text }) => ts === streamed.ts && text === written)
  await second.settled(`${thread.id}/${thread.threadTs}`)
  expect(thread.message(streamed.ts).streaming).toBe('completed')
  expect(answersIn(thread)).toHaveLength(1)
})
