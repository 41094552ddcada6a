import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { createTelegramFlow } from '../../support/telegram-flow.ts'
import { createScenes } from './scenes.ts'
import {
  cardOf,
  copiesOf,
  dataOf,
  labels,
  openStage,
  type Stage,
  shown,
  storyOf,
  toGuest,
  untilReads,
  wordsOf,
} from './stage.ts'

const twoOthers = {
  COUNTERSIGN_APPROVAL_ALLOW_SELF: 'false',
  COUNTERSIGN_APPROVAL_QUORUM: JSON.stringify([{ tool: 'bash', pattern: 'touch *', people: 2 }]),
}

describe('two people other than the requester', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ settings: twoOthers })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-12 APPR-17 APPR-05 in a group: the card says who approved and keeps its buttons, the second person ends it', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const members = [ada.user, bob.user, stage.eve, stage.olga]
    const chat = flow.telegram.group({ id: -100_701, title: 'Ops', members })
    const [adaHere, bobHere, eveHere, olgaHere] = members.map((user) => toGuest(user, chat))
    scenes.on('two needed', call('bash', { command: 'touch two' }), say('Both agreed.'))
    adaHere?.say(`@${flow.telegram.bot.username} two needed`)
    const card = await cardOf(chat)
    expect(card.text).toContain('Risk medium')
    expect(card.text).toContain('Who may answer two approvers other than the requester')
    expect(await adaHere?.tap(card, 'Approve').answered).toMatchObject({
      text: expect.stringContaining('You may deny this, but not approve it.'),
      show_alert: true,
    })
    expect(await bobHere?.tap(card, 'Approve').answered).toMatchObject({ show_alert: true })
    expect(await eveHere?.tap(card, 'Approve').answered).toMatchObject({
      text: 'Counted: 1 of 2 approved.',
    })
    const half = await untilReads(chat, card, /1 of 2 approved: Eve \(@eve\), \d\d:\d\d UTC/)
    expect(half.text).toContain('Waiting for an answer.')
    expect(labels(half)).toEqual(['Approve', 'Always…', 'Deny', 'Edit', 'Copy'])
    expect(await eveHere?.tap(card, 'Approve').answered).toMatchObject({
      text: 'Your approval already counts: 1 of 2 approved.',
      show_alert: true,
    })
    olgaHere?.say(`/approve 1`)
    await chat.waitForText('Both agreed.')
    const end = await untilReads(chat, card, /Approved by Olga.* → exit 0/)
    expect(end.text).toMatch(/2 of 2 approved: Eve.*; Olga/)
    expect(labels(end)).toEqual([])
    await flow.settled(chat.id)
  })

  test('APPR-12 APPR-04 one denial of who may answer ends it', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const chat = flow.telegram.group({ id: -100_702, title: 'Ops', members: [ada.user, stage.eve] })
    scenes.on('not so', call('bash', { command: 'touch never' }), say('Then not.'))
    toGuest(ada.user, chat).say(`@${flow.telegram.bot.username} not so`)
    const card = await cardOf(chat)
    await toGuest(stage.eve, chat).tap(card, 'Approve').answered
    toGuest(ada.user, chat).say('/deny 1 changed my mind')
    await chat.waitForText('Then not.')
    expect(storyOf(chat, card)).toEqual(['waiting', 'denied'])
  })
})

test('APPR-12 APPR-01 LOOP-04 a restart between the first and the second vote loses neither', async () => {
  const model = createScenes()
  await using first = await createTelegramFlow({ model, settings: twoOthers })
  const { telegram } = first
  model.on('survive', call('bash', { command: 'touch x' }), say('Survived.'))
  const [ada, eve, olga] = [
    telegram.addUser({ id: 41, first_name: 'Ada' }),
    telegram.addUser({ id: 44, first_name: 'Eve' }),
    telegram.addUser({ id: 45, first_name: 'Olga' }),
  ]
  const chat = telegram.group({ id: -100_703, title: 'Ops', members: [ada, eve, olga] })
  chat.send(ada, `@${telegram.bot.username} survive`)
  const card = await cardOf(chat)
  expect(await chat.tap(eve, card.id, 'Approve').answered).toMatchObject({
    text: 'Counted: 1 of 2 approved.',
  })
  await first.settled(chat.id)
  await first.served[Symbol.asyncDispose]()
  await first.product[Symbol.asyncDispose]()
  chat.tap(olga, card.id, 'Approve')
  await using second = await createTelegramFlow({
    model,
    over: first,
    standIn: telegram,
    settings: twoOthers,
  })
  await chat.waitForText('Survived.')
  const end = await untilReads(chat, card, /→ exit 0/)
  expect(end.text).toMatch(/2 of 2 approved: Eve.*; Olga/)
  await second.settled(chat.id)
})

describe('cards in private chats', () => {
  let stage: Stage
  beforeAll(async () => {
    const settings = {
      COUNTERSIGN_APPROVAL_ROUTE: 'approver',
      COUNTERSIGN_APPROVAL_ALLOW_SELF: 'false',
    }
    stage = await openStage({ settings })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const privately = (user: Stage['eve']) => toGuest(user, stage.flow.telegram.privateChat(user))

  test('APPR-18 nobody has written in private yet: the card is where it was asked, and says why; then it goes to each, and the first answer wins on all copies', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const [eve, olga] = [privately(stage.eve), privately(stage.olga)]
    scenes.on('route', call('bash', { command: 'touch route' }), say('Routed.'))
    ada.say('route')
    const here = await cardOf(ada.chat)
    await ada.chat.waitForText('nobody can be reached in private: the card is here as well.')
    ada.say('/deny 1')
    await untilReads(ada.chat, here, /Denied/)
    await ada.chat.waitForText('Routed.')
    await flow.settled(ada.id)
    for (const approver of [eve, olga]) {
      approver.say('/status')
      await approver.chat.waitForText('Model:')
    }
    scenes.on('again', call('bash', { command: 'touch again' }), say('Done again.'))
    ada.say('again')
    const ofEve = await cardOf(eve.chat, 2)
    const ofOlga = await cardOf(olga.chat, 2)
    expect(ofEve.text).toMatch(/^❯ Ada.*'s agent wants to /)
    await ada.chat.waitForText(
      'Approval 2 (bash) is waiting for Eve (@eve) or Olga (@olga), asked in private.',
    )
    expect(copiesOf(ada.chat, 2)).toEqual([])
    expect(await olga.tap(ofOlga, 'Approve').answered).toMatchObject({ text: 'Approved.' })
    // Her copy may have lost its buttons by now.
    const late = eve.chat.tapRaw(eve.user, ofEve.id, dataOf(ofEve, 'Approve'))
    expect(await late.answered).toMatchObject({
      text: expect.stringContaining('Already approved by Olga'),
    })
    await ada.chat.waitForText('Done again.')
    await untilReads(eve.chat, ofEve, /Approved by Olga.* → exit 0/)
    await untilReads(olga.chat, ofOlga, /Approved by Olga.* → exit 0/)
    expect(labels(shown(eve.chat, ofEve))).toEqual([])
  })

  test('APPR-18 TG-03 what does not fit goes with each copy as a file; a reason is given where the card is', async () => {
    const { flow, scenes } = stage
    const [eve, olga] = [privately(stage.eve), privately(stage.olga)]
    for (const approver of [eve, olga]) {
      approver.say('/status')
      await approver.chat.waitForText('Model:')
    }
    const ada = stage.guest()
    const command = `printf '${'long '.repeat(2_000)}'`
    scenes.on('lengthy', call('bash', { command }), say('Too long.'))
    ada.say('lengthy')
    const ofEve = await cardOf(eve.chat, 1)
    const ofOlga = await cardOf(olga.chat, 1)
    for (const { chat } of [eve, olga]) {
      const file = chat.botMessages().find(({ document }) => document !== undefined)
      expect(Buffer.from(file?.document?.bytes ?? []).toString()).toContain(command)
    }
    await eve.tap(ofEve, 'Deny').answered
    await untilReads(eve.chat, ofEve, /or tap Just deny/)
    eve.say('far too long', { replyTo: ofEve.id })
    await ada.chat.waitForText('Too long.')
    await untilReads(olga.chat, ofOlga, /Denied by Eve.*: far too long/)
    await flow.settled(ada.id)
    expect(wordsOf(ada.chat).join('\n')).not.toContain('far too long')
  })
})

test('APPR-18 in a channel: nobody who asked sees the card, only approvers there may answer, by who they are', async () => {
  const settings = {
    COUNTERSIGN_APPROVAL_ROUTE: 'channel',
    COUNTERSIGN_APPROVAL_CHANNEL: 'telegram:-100704',
  }
  await using stage = await openStage({ settings })
  const { flow, scenes } = stage
  const ada = stage.guest()
  const bob = stage.guest('Bob')
  const channel = flow.telegram.group({
    id: -100_704,
    title: 'Approvers',
    members: [bob.user, stage.eve],
  })
  scenes.on('in the channel', call('bash', { command: 'touch channel' }), say('Channelled.'))
  ada.say('in the channel')
  const card = await cardOf(channel)
  await ada.chat.waitForText('Approval 1 (bash) is waiting in the approvers’ channel.')
  expect(await toGuest(bob.user, channel).tap(card, 'Approve').answered).toMatchObject({
    show_alert: true,
  })
  expect(await toGuest(stage.eve, channel).tap(card, 'Approve').answered).toMatchObject({
    text: 'Approved.',
  })
  await ada.chat.waitForText('Channelled.')
  await untilReads(channel, card, /Approved by Eve.* → exit 0/)
  expect(copiesOf(ada.chat)).toEqual([])
})
