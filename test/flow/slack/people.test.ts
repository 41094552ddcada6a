import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pair } from '../../../src/cli/people/pair.ts'
import { Environment } from '../../../src/config/env.ts'
import { call, say } from '../../support/scripted-model.ts'
import { createSlackFlow } from '../../support/slack-flow.ts'
import { createScenes } from '../telegram/scenes.ts'
import { cardOf, openStage, type Stage, untilReads, wordsOf } from './stage.ts'

const oneLine =
  'This bot works for invited people only. To get in, ask its operator for a pairing code, and send it here.'

describe('who talks through Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const handled = () => stage.flow.slack.waitFor(() => stage.flow.slack.quiet)

  async function codeFor(role: 'user' | 'approver'): Promise<string> {
    const { flow } = stage
    const environment = new Environment({ USER: 'olga', DATABASE_URL: flow.database.url })
    const signal = AbortSignal.timeout(30_000)
    return (await pair({ config: flow.config, environment, role, minutes: 10, signal })).code
  }

  test('CHAT-01 somebody whom nobody let in gets one line, and a code sent in private lets them in, once', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on('hello there', say('Good day.'))
    const carol = stage.stranger('carol')
    const dm = flow.slack.dm(carol)
    for (const words of ['hello there', 'hello there?', ' /start', ' /status']) dm.say(carol, words)
    await dm.waitForText(oneLine)
    await handled()
    const code = await codeFor('user')
    dm.say(carol, 'A2CD-23B5-EFG67')
    await dm.waitForText('That code is not valid.')
    dm.say(carol, code.toLowerCase())
    expect((await dm.waitForText('Welcome, carol.')).text).toContain('(role: user)')
    expect(wordsOf(dm).filter((text) => text === oneLine)).toHaveLength(1)
    expect(scene.requests).toEqual([])
    dm.say(carol, 'hello there')
    await dm.waitForText('Good day.')
    const dave = stage.stranger('dave')
    const his = flow.slack.dm(dave)
    his.say(dave, code)
    await his.waitForText('That code is not valid.')
    his.say(dave, 'hello there')
    await handled()
    expect(scene.requests).toHaveLength(1)
  })

  test('CHAT-01 CHAT-02 whoever paired as an approver answers the questions of others in a channel', async () => {
    const { flow, scenes } = stage
    scenes.on('do it', call('bash', { command: 'printf x' }), say('Done.'))
    const [ada, carol] = [stage.guest(), stage.stranger('carol')]
    const channel = flow.slack.channel({ name: 'paired', members: [ada, carol] })
    channel.say(ada, `${flow.slack.mention} do it`)
    const card = await cardOf(channel)
    const dm = flow.slack.dm(carol)
    dm.say(carol, await codeFor('approver'))
    await dm.waitForText('(role: approver)')
    await channel.click(carol, card.ts, 'Approve').outcome
    await untilReads(channel, card.ts, /Approved by carol.* → exit 0/)
  })

  test('CHAT-01 THREAT-7 bots, Slackbot, workflows, people of another team, shut accounts, edits and our own messages get no word', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const scene = scenes.on('run', say('Never.'))
    const ada = stage.guest()
    const robot = slack.user('robot', { kind: 'bot' })
    const flowBot = slack.user('flow', { kind: 'workflow' })
    const slackbot = slack.user('slackbot', { id: 'USLACKBOT' })
    const other = slack.team('Elsewhere')
    const foreigner = slack.user('ada', { teamId: other.id })
    const gone = slack.user('gone', { deleted: true })
    const members = [ada, robot, flowBot, slackbot, foreigner, gone]
    const channel = slack.channel({ name: 'shared', members })
    const at = slack.mention
    for (const who of [robot, flowBot, slackbot, foreigner, gone]) channel.say(who, `${at} run`)
    channel.sayAsBot('hook', `${at} run`)
    const theirs = slack.dm(foreigner)
    theirs.say(foreigner, 'run')
    channel.say(ada, 'run, whoever reads this')
    const plain = channel.say(ada, 'nothing yet')
    channel.say(ada, 'run in a thread without a mention', { thread: plain })
    channel.edit(ada, plain, `${at} run`)
    await handled()
    scenes.on('a person', say('At last.'))
    channel.say(ada, `${at} a person`)
    await channel.waitForText('At last.')
    await handled()
    expect(wordsOf(channel)).toEqual(['At last.'])
    expect(theirs.botMessages()).toEqual([])
    for (const who of members) expect(channel.ephemerals(who)).toEqual([])
    expect(scene.requests).toEqual([])
  })

  test('CHAT-01 THREAT-7 a person of another team who clicks a card of a shared channel is nobody', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    scenes.on('shared work', call('bash', { command: 'printf x' }), say('Ran.'))
    const ada = stage.guest()
    const foreigner = slack.user('eve', { teamId: slack.team('Else').id })
    const channel = slack.channel({ name: 'shared2', members: [ada, foreigner] })
    channel.say(ada, `${slack.mention} shared work`)
    const card = await cardOf(channel)
    for (const button of ['Approve', 'Deny', 'Edit'])
      expect(await channel.click(foreigner, card.ts, button).outcome).toMatchObject({
        kind: 'acked',
      })
    await flow.settled(`${channel.id}/${card.threadTs}`)
    expect(slack.modals(foreigner)).toEqual([])
    expect(channel.message(card.ts).text).toMatch(/\nWaiting for an answer\./)
    await channel.click(ada, card.ts, 'Approve').outcome
    await untilReads(channel, card.ts, /→ exit 0/)
  })
})

test('CHAT-01 an empty list is nobody', async () => {
  const scenes = createScenes()
  await using flow = await createSlackFlow({ model: scenes })
  const scene = scenes.on('hello', say('Never.'))
  const ada = flow.slack.user('ada')
  const dm = flow.slack.dm(ada)
  dm.say(ada, 'hello')
  await dm.waitForText(oneLine)
  expect(scene.requests).toEqual([])
})

test('CHAT-01 THREAT-7 a username of the configuration is pinned to the first member who comes with it, and no other gets it', async () => {
  const scenes = createScenes()
  await using flow = await createSlackFlow({
    model: scenes,
    settings: { COUNTERSIGN_SLACK_ALLOWED_USERS: '@Ada', COUNTERSIGN_SLACK_OPERATORS: 'ada' },
  })
  const { slack, db } = flow
  scenes.on('am I in', say('You are.'))
  const first = slack.user('ada')
  const dm = slack.dm(first)
  dm.say(first, 'am I in')
  await dm.waitForText('You are.')
  const { caller_id } = await db.selectFrom('username_pin').selectAll().executeTakeFirstOrThrow()
  expect(caller_id).toBe(`slack:${slack.teamId}:${first.id}`)
  // Somebody else takes the name, once the first one has given it up.
  const second = slack.user('ada')
  const theirs = slack.dm(second)
  theirs.say(second, 'am I in')
  await theirs.waitForText(oneLine)
  const team = await db.selectFrom('platform_team').selectAll().executeTakeFirstOrThrow()
  expect(team).toMatchObject({ platform: 'slack', team: slack.teamId })
  // Pinned in a workspace that was served before: here it is nobody's yet.
  await db
    .updateTable('username_pin')
    .set({ caller_id: `slack:T0OLD00001:${first.id}` })
    .execute()
  theirs.say(second, 'am I in')
  await theirs.waitForText('You are.')
})
