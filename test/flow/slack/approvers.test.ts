import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { createSlackFlow } from '../../support/slack-flow.ts'
import { createScenes } from '../telegram/scenes.ts'
import {
  cardOf,
  claimOf,
  copiesOf,
  detailsOf,
  labels,
  openStage,
  type Stage,
  storyOf,
  untilReads,
} from './stage.ts'

const twoOthers = {
  COUNTERSIGN_APPROVAL_ALLOW_SELF: 'false',
  COUNTERSIGN_APPROVAL_QUORUM: JSON.stringify([{ tool: 'bash', pattern: 'touch *', people: 2 }]),
}

describe('two people on Slack other than the requester', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ settings: twoOthers })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-12 APPR-17 APPR-05 in a channel: the card says who approved and keeps its buttons, the second person ends it', async () => {
    const { flow, scenes, eve, olga } = stage
    const { slack } = flow
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const channel = slack.channel({ name: 'ops', members: [ada, bob, eve, olga] })
    scenes.on('two needed', call('bash', { command: 'touch two' }), say('Both agreed.'))
    const root = channel.say(ada, `${slack.mention} two needed`)
    const card = await cardOf(channel)
    expect(await detailsOf(channel, ada, card)).toContain(
      'Who may answer two approvers other than the requester',
    )
    await channel.click(ada, card.ts, 'Approve').outcome
    await channel.waitForEphemeral(ada, 'You may deny this, but not approve it.')
    await channel.click(bob, card.ts, 'Approve').outcome
    await channel.waitForEphemeral(bob, '')
    await channel.click(eve, card.ts, 'Approve').outcome
    const half = await untilReads(channel, card.ts, /1 of 2 approved: eve.*, \d\d:\d\d UTC/)
    expect(half.text).toContain('Waiting for an answer.')
    expect(labels(half)).toEqual(labels(card))
    await channel.click(eve, card.ts, 'Approve').outcome
    await channel.waitForEphemeral(eve, 'Your approval already counts: 1 of 2 approved.')
    await channel.click(olga, card.ts, 'Approve').outcome
    await channel.waitForText('Both agreed.')
    const end = await untilReads(channel, card.ts, /Approved by olga.* → exit 0/)
    expect(end.text).toMatch(/2 of 2 approved: eve.*; olga/)
    expect(labels(end)).toEqual([])
    await flow.settled(`${channel.id}/${root}`)
  })

  test('APPR-12 APPR-04 one denial by a form ends it, though one has approved', async () => {
    const { flow, scenes, eve, olga } = stage
    const { slack } = flow
    const ada = stage.guest()
    const channel = slack.channel({ name: 'ops-2', members: [ada, eve, olga] })
    const scene = scenes.on('not so', call('bash', { command: 'touch never' }), say('Then not.'))
    channel.say(ada, `${slack.mention} not so`)
    const card = await cardOf(channel)
    await channel.click(eve, card.ts, 'Approve').outcome
    await untilReads(channel, card.ts, /1 of 2 approved/)
    await channel.click(olga, card.ts, 'Deny').outcome
    const form = await slack.waitForModal(olga)
    await form.submit({ written: 'not today' })
    await channel.waitForText('Then not.')
    expect(scene.lastHeard()).toContain('rejected by user: not today')
    expect(storyOf(channel, card)).toEqual(['waiting', 'denied'])
  })
})

test('APPR-12 APPR-01 LOOP-04 a restart between the first and the second vote on Slack loses neither', async () => {
  const model = createScenes()
  const settings = {
    ...twoOthers,
    COUNTERSIGN_SLACK_ALLOWED_USERS: 'U0ADA00001',
    COUNTERSIGN_SLACK_APPROVERS: 'U0EVE00001,U0OLGA0001',
  }
  const slack = { retryDelaysMs: [0, ...Array<number>(20).fill(500)] }
  await using first = await createSlackFlow({ model, settings, slack })
  const { slack: standIn } = first
  model.on('survive', call('bash', { command: 'touch x' }), say('Survived.'))
  const ada = standIn.user('ada', { id: 'U0ADA00001' })
  const eve = standIn.user('eve', { id: 'U0EVE00001' })
  const olga = standIn.user('olga', { id: 'U0OLGA0001' })
  const channel = standIn.channel({ name: 'ops', members: [ada, eve, olga] })
  const root = channel.say(ada, `${standIn.mention} survive`)
  const card = await cardOf(channel)
  await channel.click(eve, card.ts, 'Approve').outcome
  await untilReads(channel, card.ts, /1 of 2 approved: eve/)
  await first.settled(`${channel.id}/${root}`)
  await first.served[Symbol.asyncDispose]()
  await first.product[Symbol.asyncDispose]()
  expect(await channel.click(olga, card.ts, 'Approve').outcome).toMatchObject({ kind: 'failed' })
  await using second = await createSlackFlow({ model, over: first, standIn, settings })
  await channel.click(olga, card.ts, 'Approve').outcome
  await channel.waitForText('Survived.')
  const end = await untilReads(channel, card.ts, /→ exit 0/)
  expect(end.text).toMatch(/2 of 2 approved: eve.*; olga/)
  await second.settled(`${channel.id}/${root}`)
})

test('APPR-18 SLACK-02 in a channel of the approvers: nobody who asked sees the card, and only approvers there may answer', async () => {
  const settings = {
    COUNTERSIGN_APPROVAL_ROUTE: 'channel',
    COUNTERSIGN_APPROVAL_CHANNEL: 'slack:C0APPROVE1',
  }
  await using stage = await openStage({ settings })
  const { flow, scenes, eve } = stage
  const { slack } = flow
  const [ada, bob] = [stage.guest(), stage.guest('bob')]
  const dm = slack.dm(ada)
  const channel = slack.channel({ name: 'approvers', members: [bob, eve], id: 'C0APPROVE1' })
  scenes.on('in the channel', call('bash', { command: 'touch channel' }), say('Channelled.'))
  dm.say(ada, 'in the channel')
  const card = await cardOf(channel)
  await dm.waitForText('Approval 1 (bash) is waiting in the approvers’ channel.')
  await channel.click(bob, card.ts, 'Approve').outcome
  await channel.waitForEphemeral(bob, 'may not')
  await channel.click(bob, card.ts, 'Deny').outcome
  expect(slack.modals(bob)).toEqual([])
  expect(channel.message(card.ts).text).toMatch(/\nWaiting for an answer\.$/)
  await channel.click(eve, card.ts, 'Approve').outcome
  await dm.waitForText('Channelled.')
  await untilReads(channel, card.ts, /Approved by eve.* → exit 0/)
  expect(copiesOf(dm)).toEqual([])
})

test('APPR-18 with the route of approvers the card goes to each by direct message, and the first answer wins on all copies', async () => {
  const settings = {
    COUNTERSIGN_APPROVAL_ROUTE: 'approver',
    COUNTERSIGN_APPROVAL_ALLOW_SELF: 'false',
  }
  await using stage = await openStage({ settings })
  const { flow, scenes, eve, olga } = stage
  const { slack } = flow
  const [ofEve, ofOlga] = [slack.dm(eve), slack.dm(olga)]
  for (const [dm, who] of [
    [ofEve, eve],
    [ofOlga, olga],
  ] as const) {
    dm.say(who, ' /status')
    await dm.waitForText('Model:')
  }
  const ada = stage.guest()
  const dm = slack.dm(ada)
  scenes.on('by message', call('bash', { command: 'touch private' }), say('Asked in private.'))
  dm.say(ada, 'by message')
  const [one, other] = [await cardOf(ofEve), await cardOf(ofOlga)]
  await dm.waitForText(
    'Approval 1 (bash) is waiting for eve (@eve) or olga (@olga), asked in private.',
  )
  expect(copiesOf(dm)).toEqual([])
  await ofOlga.click(olga, other.ts, 'Approve').outcome
  await dm.waitForText('Asked in private.')
  await untilReads(ofEve, one.ts, /Approved by olga.* → exit 0/)
  await untilReads(ofOlga, other.ts, /Approved by olga.* → exit 0/)
  await ofEve.claimClick(eve, claimOf(one, 'Approve')).outcome
  await ofEve.waitForEphemeral(eve, 'Already approved by olga')
})
