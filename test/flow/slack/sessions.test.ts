import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/adapters/chat/slack/api.ts'
import { serveSlack } from '../../../src/gateway/serve-slack.ts'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/model.ts'
import { silentLog } from '../../../src/util/log.ts'
import { call, say } from '../../support/scripted-model.ts'
import { createSlack } from '../../support/slack/slack.ts'
import { createSlackFlow } from '../../support/slack-flow.ts'
import { createScenes } from '../telegram/scenes.ts'
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

  test('SLACK-05 LOOP-14 a Stop that Slack delivers late ends no turn that began after it, and shows again', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const gate = Promise.withResolvers<void>()
    scenes.on('begun later', async () => {
      await gate.promise
      return say('Not stopped.')
    })
    const ada = stage.guest()
    const channel = slack.channel({ name: 'late', members: [ada] })
    const root = channel.say(ada, `${slack.mention} begun later`)
    await slack.waitFor(() => channel.session(root)?.status === 'processing')
    const aMinuteAgo = (Date.now() / 1_000 - 60).toFixed(6)
    channel.pressStop(ada, root, aMinuteAgo)
    await channel.waitForEphemeral(ada, 'This has already ended.')
    await slack.waitFor(() => channel.session(root)?.status === 'processing')
    gate.resolve()
    await channel.waitForText('Not stopped.')
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

test('SLACK-05 a thread whose turn ended while nobody served Slack is free again when somebody does', async () => {
  await using slack = await createSlack()
  const ada = slack.user('ada')
  const channel = slack.channel({ name: 'left', members: [ada] })
  const root = channel.say(ada, 'left behind')
  const settings = { COUNTERSIGN_SLACK_ALLOWED_USERS: ada.id }
  const model = createScenes()
  model.on('hello', say('Hello.'))
  await using flow = await createSlackFlow({ standIn: slack, settings, model })
  channel.say(ada, `${slack.mention} hello`, { thread: root })
  await channel.waitForText('Hello.')
  await slack.waitFor(() => channel.session(root)?.status === 'active')
  await flow.settled(`${channel.id}/${root}`)
  await flow.served[Symbol.asyncDispose]()
  const web = createApi({ token: slack.botToken, apiUrl: slack.apiUrl, timeoutMs: 5_000 })
  const where = { channel_id: channel.id, thread_ts: root }
  await web.agents.sessions.setStatus({ ...where, status: 'processing' })
  await using _again = await serveSlack({
    gateway: flow.product,
    config: flow.config,
    log: silentLog,
  })
  await slack.waitFor(() => channel.session(root)?.status === 'active')
})
