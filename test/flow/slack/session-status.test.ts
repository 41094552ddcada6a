import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/flow.ts'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import type { ChannelHandle } from '../../support/slack/people/channel-handle.ts'
import { writeRules } from '../../support/write-rules.ts'
import { letGo, printing } from '../workspace-commands.ts'
import { cardOf, openStage, type Stage, untilReads } from './stage.ts'

/** What the sessions of a thread were told, in order. */
function toldOf({ flow }: Stage, { id }: ChannelHandle, root: string): unknown[] {
  return flow.slack
    .callsOf('agents.sessions.setStatus')
    .filter(({ params }) => params['channel_id'] === id && params['thread_ts'] === root)
    .map(({ params }) => params['status'])
}

describe('SLACK-05 what Slack shows of a thread is what its turn is at', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({
      settings: {
        COUNTERSIGN_APPROVAL_ROUTE: 'approver',
        COUNTERSIGN_APPROVAL_ALLOW_SELF: 'false',
      },
    })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-18 the thread of whoever asked waits, and that in which an approver is asked goes on with its own', async () => {
    const { flow, scenes, eve } = stage
    const { slack } = flow
    const gate = Promise.withResolvers<void>()
    scenes.on('at length', async () => {
      await gate.promise
      return say('At last.')
    })
    const ofEve = slack.assistant(eve)
    const root = ofEve.threadTs
    ofEve.write('at length')
    await slack.waitFor(() => ofEve.session(root)?.status === 'processing')
    const ada = stage.guest()
    const channel = slack.channel({ name: 'asking', members: [ada] })
    const command = 'echo begun; sleep 300'
    scenes.on('asked elsewhere', call('bash', { command }), say('Slept.'))
    const asking = channel.say(ada, `${slack.mention} asked elsewhere`)
    const card = await cardOf(ofEve)
    await slack.waitFor(() => channel.session(asking)?.status === 'suspended')
    expect(ofEve.session(root)?.status).toBe('processing')
    await ofEve.click(eve, card.ts, 'Approve').outcome
    await slack.waitFor(() => channel.session(asking)?.status === 'processing')
    await untilReads(ofEve, card.ts, /→ running/)
    gate.resolve()
    await ofEve.waitForText('At last.')
    await slack.waitFor(() => ofEve.session(root)?.status === 'active')
    expect(toldOf(stage, ofEve, root)).not.toContain('suspended')
    channel.pressStop(ada, asking)
    await channel.waitForText('Stopped by ada')
    await slack.waitFor(() => channel.session(asking)?.status === 'active')
  })
})

describe('SLACK-05 in the thread in which a card stands', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
    const bash = '{ "*": "allow", "touch *": "ask", "tail *": "ask" }'
    await writeRules(stage.flow.dataDir, `{ "*": "ask", "bash": ${bash} }\n`)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-13 the app is at work again as soon as the question is answered, for as long as the call runs', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const scene = scenes.on('run it', call('bash', { command: 'tail -f /dev/null' }), say('never'))
    const ada = stage.guest()
    const channel = slack.channel({ name: 'running', members: [ada] })
    const root = channel.say(ada, `${slack.mention} run it`)
    const status = () => channel.session(root)?.status
    const card = await cardOf(channel)
    await slack.waitFor(() => status() === 'suspended')
    await channel.click(ada, card.ts, 'Approve').outcome
    await slack.waitFor(() => status() === 'processing')
    // One that is stopped before a worker has begun it never ran, and its card says so.
    await untilReads(channel, card.ts, /→ running/)
    expect(scene.requests).toHaveLength(1)
    channel.pressStop(ada, root)
    await untilReads(channel, card.ts, /→ cancelled/)
    await slack.waitFor(() => status() === 'active')
  })

  test('LOOP-04 an answer frees no thread in which the next turn has begun', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const answering = (index: number, text: string) => async () => {
      await gates[index]?.promise
      return say(text)
    }
    const first = scenes.on('the first', answering(0, 'First.'))
    const second = scenes.on('the second', answering(1, 'Second.'))
    const ada = stage.guest()
    const channel = slack.channel({ name: 'next', members: [ada] })
    const root = channel.say(ada, `${slack.mention} the first`)
    await slack.waitFor(() => first.requests.length === 1)
    await slack.waitFor(() => channel.session(root)?.status === 'processing')
    channel.say(ada, `${slack.mention} the second`, { thread: root })
    await until('the second waits', async () => {
      const messages = await flow.db.selectFrom('message').select('body').execute()
      return messages.some(({ body }) => body.includes('the second'))
    })
    gates[0]?.resolve()
    await channel.waitForText('First.')
    await slack.waitFor(() => second.requests.length === 1)
    await delay(1_000)
    expect(toldOf(stage, channel, root)).not.toContain('active')
    gates[1]?.resolve()
    await channel.waitForText('Second.')
    await slack.waitFor(() => channel.session(root)?.status === 'active')
  })

  test('SLACK-03 CHAT-04 what was streamed before a card stays away while it waits, and the thread waits', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const prints = call('bash', { command: printing })
    scenes.on('print, then ask', prints, call('bash', { command: 'touch a' }), say('Touched.'))
    const ada = stage.guest()
    const thread = slack.assistant(ada)
    thread.write('print, then ask')
    await thread.waitForText('line-')
    await letGo(stage, `${thread.id}/${thread.threadTs}`)
    const card = await cardOf(thread)
    await slack.waitFor(() => thread.session(thread.threadTs)?.status === 'suspended')
    // Longer than a quiet stream is left alone.
    await delay(13_000)
    expect(thread.session(thread.threadTs)?.status).toBe('suspended')
    expect(thread.botMessages().at(-1)?.ts).toBe(card.ts)
    await thread.click(ada, card.ts, 'Approve').outcome
    await thread.waitForText('Touched.')
    await slack.waitFor(() => thread.session(thread.threadTs)?.status === 'active')
  })

  test('SLACK-03 CHAT-04 what another call of the turn prints shows below the card that waits; once it is over the thread waits', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const both = [printing, 'touch a'].map((command) => toRequest('bash', { command }))
    scenes.on('print and ask', calls(both), say('Printed and touched.'))
    const ada = stage.guest()
    const thread = slack.assistant(ada)
    thread.write('print and ask')
    const card = await cardOf(thread)
    const shown = await thread.waitForMessage(({ text }) => /bash · \d+ s · line-\d/.test(text))
    expect(shown.ts > card.ts).toBe(true)
    const status = () => thread.session(thread.threadTs)?.status
    expect(status()).toBe('processing')
    await letGo(stage, `${thread.id}/${thread.threadTs}`)
    await slack.waitFor(() => status() === 'suspended')
    await thread.click(ada, card.ts, 'Approve').outcome
    await thread.waitForText('Printed and touched.')
    await slack.waitFor(() => status() === 'active')
  })
})
