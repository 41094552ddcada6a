import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, labels, openStage, type Stage } from './stage.ts'

/** Writes until it is stopped. */
async function forEver({ onText, signal }: ModelRequest): Promise<ModelAnswer> {
  for (let index = 0; ; index++) {
    onText?.(index === 0 ? 'word0' : ` word${index}`)
    await delay(100, undefined, { signal })
  }
}

describe('agent sessions of Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('SLACK-05 LOOP-14 the Stop button of a session ends its turn, and what was streamed goes', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on('write on', forEver)
    const ada = stage.guest()
    const thread = flow.slack.assistant(ada)
    const place = `${thread.id}/${thread.threadTs}`
    thread.write('write on')
    const streamed = await thread.waitForMessage(({ streaming }) => streaming === 'in_progress')
    expect(labels(streamed)).toEqual([])
    thread.pressStop(ada, thread.threadTs)
    await thread.waitForText('Stopped by ada')
    await flow.settled(place)
    await flow.slack.waitFor(() => thread.session(thread.threadTs)?.status === 'active')
    expect(thread.messages().map(({ ts }) => ts)).not.toContain(streamed.ts)
    expect(scene.requests).toHaveLength(1)
  })

  test('SLACK-05 a session is at work while its turn is, waits while a person is asked, and is free when it is answered', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const gate = Promise.withResolvers<void>()
    scenes.on('at work', call('bash', { command: 'printf x' }), async () => {
      await gate.promise
      return say('Worked.')
    })
    const ada = stage.guest()
    const channel = slack.channel({ name: 'work', members: [ada] })
    const root = channel.say(ada, `${slack.mention} at work`)
    const status = () => channel.session(root)?.status
    const card = await cardOf(channel)
    await slack.waitFor(() => status() === 'suspended')
    await channel.click(ada, card.ts, 'Approve').outcome
    await slack.waitFor(() => status() === 'processing')
    gate.resolve()
    await channel.waitForText('Worked.')
    await slack.waitFor(() => status() === 'active')
  })

  test('SLACK-05 LOOP-14 CHAT-02 who may not stop a turn is told so, and it goes on', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const gate = Promise.withResolvers<void>()
    scenes.on('not yours', async () => {
      await gate.promise
      return say('Went on.')
    })
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const channel = slack.channel({ name: 'others', members: [ada, bob] })
    const root = channel.say(ada, `${slack.mention} not yours`)
    await slack.waitFor(() => channel.session(root)?.status === 'processing')
    channel.pressStop(bob, root)
    await channel.waitForEphemeral(bob, 'Only the person whose turn it is')
    gate.resolve()
    await channel.waitForText('Went on.')
  })
})

test('SLACK-05 LOOP-14 where Slack shows no Stop button of its own, one is above what is streamed', async () => {
  await using stage = await openStage({ slack: { agent: true, events: ['message.im'] } })
  const { flow, scenes } = stage
  scenes.on('write on', forEver)
  const ada = stage.guest()
  const thread = flow.slack.assistant(ada)
  thread.write('write on')
  const streamed = await thread.waitForMessage(({ streaming }) => streaming === 'in_progress')
  expect(labels(streamed)).toEqual(['Stop'])
  await thread.click(ada, streamed.ts, 'Stop').outcome
  await thread.waitForText('Stopped by ada')
  await flow.settled(`${thread.id}/${thread.threadTs}`)
  expect(thread.messages().map(({ ts }) => ts)).not.toContain(streamed.ts)
})

test('SLACK-05 SLACK-01 an app that is no agent is asked once for a session, and answers all the same', async () => {
  await using stage = await openStage({ slack: { agent: false } })
  const { flow, scenes } = stage
  const { slack } = flow
  scenes.on('hello', say('Hello.'))
  const ada = stage.guest()
  const channel = slack.channel({ name: 'plain', members: [ada] })
  for (let times = 1; times <= 2; times++) {
    channel.say(ada, `${slack.mention} hello`)
    await channel.waitForMessage(() => channel.botMessages().length === times)
  }
  expect(slack.callsOf('agents.sessions.setStatus')).toHaveLength(1)
})
