import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, dataOf, labels, openStage, type Stage, toGuest, untilReads } from './stage.ts'

/** Writes for longer than any test waits. */
async function endlessly({ onText, signal }: ModelRequest): Promise<ModelAnswer> {
  for (let word = 0; word < 3_000; word += 1) {
    onText?.(`word${word} `)
    await delay(100, undefined, { signal })
  }
  return say('never')
}

const stoppedByAda = /^Stopped by Ada(?: \(@\w+\))?\.$/

describe('LOOP-14 a Stop button', () => {
  let stage: Stage
  let at = ''
  beforeAll(async () => {
    stage = await openStage()
    at = `@${stage.flow.telegram.bot.username}`
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Ada and Bob in a group, where Ada's turn writes and shows so. */
  async function writing(id: number, words: string) {
    stage.scenes.on(words, endlessly)
    const [ada, bob] = [stage.guest(), stage.guest('Bob')]
    const chat = stage.flow.telegram.group({ id, title: 'Ops', members: [ada.user, bob.user] })
    const [adaHere, bobHere] = [toGuest(ada.user, chat), toGuest(bob.user, chat)]
    adaHere.say(`${at} ${words}`)
    const passing = await chat.waitForMessage((message) => labels(message).includes('Stop'))
    expect(passing.text).toContain('word')
    return { chat, ada: adaHere, bob: bobHere, passing }
  }

  test('LOOP-14 CHAT-04 below what a turn writes ends it, for whoever may, and goes with it', async () => {
    const { chat, ada, bob, passing } = await writing(-100_950, 'write on')
    expect(await bob.tap(passing, 'Stop').answered).toMatchObject({
      text: 'Only the person whose turn it is, or an approver, may stop it.',
      show_alert: true,
    })
    expect(await ada.tap(passing, 'Stop').answered).toMatchObject({ text: 'Stopped.' })
    await chat.waitForMessage(({ text }) => stoppedByAda.test(text))
    await stage.flow.settled(chat.id)
    for (const message of chat.botMessages()) expect(labels(message)).toEqual([])
    const turns = await stage.flow.db
      .selectFrom('turn')
      .select(['state', 'stopped_by'])
      .where('caller_id', '=', `telegram:${ada.user.id}`)
      .execute()
    expect(turns).toEqual([{ state: 'stopped', stopped_by: expect.stringMatching(/^Ada/) }])
  })

  test('LOOP-14 THREAT-8 of a turn that is over stops none that came after it, and is of no use in another chat', async () => {
    const { chat, ada, passing } = await writing(-100_951, 'the first of two')
    const data = dataOf(passing, 'Stop')
    const elsewhere = stage.guest('Eva')
    const theirs = elsewhere.say('/status')
    await elsewhere.chat.waitForText('Model')
    const forged = await elsewhere.chat.tapRaw(elsewhere.user, theirs + 1, data).answered
    expect(forged).toMatchObject({ text: 'This button is no longer valid here.' })
    ada.tap(passing, 'Stop')
    await chat.waitForMessage(({ text }) => stoppedByAda.test(text))
    stage.scenes.on('the second of two', call('bash', { command: 'printf x' }), say('Second.'))
    ada.say(`${at} the second of two`)
    const card = await cardOf(chat)
    const late = await chat.tapRaw(ada.user, passing.id, data).answered
    expect(late).toMatchObject({ text: 'This has already ended.', show_alert: true })
    ada.tap(card, 'Approve')
    await chat.waitForText('Second.')
  })

  test('LOOP-14 APPR-13 below a card whose call runs ends the call, as the card then says', async () => {
    stage.scenes.on('sleep on', call('bash', { command: 'echo begun; sleep 300' }), say('never'))
    const ada = stage.guest()
    ada.say('sleep on')
    const card = await cardOf(ada.chat)
    ada.tap(card, 'Approve')
    const running = await ada.chat.waitForMessage(
      (message) => message.id === card.id && labels(message).includes('Stop'),
    )
    expect(running.text).toContain('begun')
    expect(await ada.tap(running, 'Stop').answered).toMatchObject({ text: 'Stopped.' })
    const ended = await untilReads(ada.chat, card, /Approved by Ada.* → cancelled/)
    expect(labels(ended)).toEqual([])
    await stage.flow.settled(ada.id)
  })
})

test('LOOP-14 APPR-18 CHAT-02 below a card that is shown in another chat it ends the turn that was asked for, for whoever may', async () => {
  const settings = {
    COUNTERSIGN_APPROVAL_ROUTE: 'channel',
    COUNTERSIGN_APPROVAL_CHANNEL: 'telegram:-100952',
  }
  await using stage = await openStage({ settings })
  const { flow, scenes } = stage
  const [ada, bob] = [stage.guest(), stage.guest('Bob')]
  const members = [bob.user, stage.eve]
  const channel = flow.telegram.group({ id: -100_952, title: 'Approvers', members })
  const eve = toGuest(stage.eve, channel)
  scenes.on('sleep elsewhere', call('bash', { command: 'echo begun; sleep 300' }), say('never'))
  ada.say('sleep elsewhere')
  const card = await cardOf(channel)
  expect(await eve.tap(card, 'Approve').answered).toMatchObject({ text: 'Approved.' })
  const running = await channel.waitForMessage(
    (message) => message.id === card.id && labels(message).includes('Stop'),
  )
  expect(await toGuest(bob.user, channel).tap(running, 'Stop').answered).toMatchObject({
    text: 'Only the person whose turn it is, or an approver, may stop it.',
    show_alert: true,
  })
  const data = dataOf(running, 'Stop')
  expect(await eve.tap(running, 'Stop').answered).toMatchObject({ text: 'Stopped.' })
  await untilReads(channel, card, /Approved by Eve.* → cancelled/)
  await ada.chat.waitForMessage(({ text }) => /^Stopped by Eve(?: \(@\w+\))?\.$/.test(text))
  await flow.settled(ada.id)
  const calls = flow.db.selectFrom('tool_call').select('state')
  expect(await calls.execute()).toEqual([{ state: 'cancelled' }])
  // Nothing of it is left in the chat where it was tapped, nor can it be stopped twice.
  expect(channel.botMessages().filter(({ text }) => text.startsWith('Stopped'))).toEqual([])
  const late = await channel.tapRaw(eve.user, card.id, data).answered
  expect(late).toMatchObject({ text: 'This has already ended.', show_alert: true })
})

test('TG-06 LOOP-14 Stop below a draft ends the turn that it was of, and none that came after it', async () => {
  await using stage = await openStage({ telegram: { drafts: true } })
  const { flow, scenes } = stage
  scenes.on('write on', endlessly)
  const ada = stage.guest()
  ada.say('write on')
  const draft = await flow.telegram.waitFor(() => ada.chat.draft)
  expect(draft.text.text).toContain('word')
  ada.chat.stopDraft()
  await ada.chat.waitForMessage(({ text }) => stoppedByAda.test(text))
  await flow.settled(ada.id)
  const states = flow.db
    .selectFrom('turn')
    .select(['state', 'stopped_by'])
    .where('caller_id', '=', `telegram:${ada.user.id}`)
  expect(await states.execute()).toEqual([
    { state: 'stopped', stopped_by: expect.stringMatching(/^Ada/) },
  ])
  scenes.on('the next', call('bash', { command: 'printf x' }), say('Second.'))
  ada.say('the next')
  const card = await cardOf(ada.chat)
  const late = { chat: ada.chat.chat, draft_id: draft.draftId }
  flow.telegram.pushUpdate('stopped_message_generation', late)
  await flow.telegram.waitFor(() => flow.telegram.pendingUpdates().length === 0)
  ada.tap(card, 'Approve')
  await ada.chat.waitForText('Second.')
  expect(ada.chat.botMessages().filter(({ text }) => stoppedByAda.test(text))).toHaveLength(1)
})

test('TG-06 THREAT-8 a stranger, and whoever stops a draft in a chat of their own, stops nobody else', async () => {
  await using stage = await openStage({ telegram: { drafts: true } })
  const { flow, scenes } = stage
  scenes.on('write on', endlessly)
  const [ada, bob, mallory] = [stage.guest(), stage.guest('Bob'), stage.stranger()]
  ada.say('write on')
  const { draftId } = await flow.telegram.waitFor(() => ada.chat.draft)
  for (const { chat } of [bob.chat, mallory.chat])
    flow.telegram.pushUpdate('stopped_message_generation', { chat, draft_id: draftId })
  await flow.telegram.waitFor(() => flow.telegram.pendingUpdates().length === 0)
  const before = ada.chat.drafts.length
  await flow.telegram.waitFor(() => ada.chat.drafts.length > before + 1)
  expect(ada.chat.botMessages()).toEqual([])
  ada.chat.stopDraft()
  await ada.chat.waitForMessage(({ text }) => stoppedByAda.test(text))
})
