import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { counting, runs } from '../workspace-commands.ts'
import {
  cardOf,
  dataOf,
  labels,
  openStage,
  type Stage,
  storyOf,
  toGuest,
  untilReads,
  wordsOf,
} from './stage.ts'

const clock = String.raw`(?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC`

describe('taps', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  function group(id: number) {
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const mallory = stage.stranger()
    const members = [ada.user, bob.user, mallory.user, stage.eve]
    const chat = stage.flow.telegram.group({ id, title: 'Ops', members })
    return {
      chat,
      ada: toGuest(ada.user, chat),
      bob: toGuest(bob.user, chat),
      mallory: toGuest(mallory.user, chat),
      eve: toGuest(stage.eve, chat),
    }
  }

  test('APPR-04 the same tap twice is one execution, and the second is told who decided what and when', async () => {
    stage.scenes.on('tap twice', call('bash', { command: counting }), say('Ran.'))
    const ada = stage.guest()
    ada.say('tap twice')
    const card = await cardOf(ada.chat)
    const taps = [ada.tap(card, 'Approve'), ada.tap(card, 'Approve')]
    const answers = await Promise.all(taps.map((tap) => tap.answered))
    expect(answers[0]).toMatchObject({ text: 'Approved.', show_alert: false })
    expect(answers[1]?.text).toMatch(
      new RegExp(String.raw`^Already approved by Ada(?: \(@\w+\))? (?:at|on) ${clock}\.$`),
    )
    expect(answers[1]?.show_alert).toBe(true)
    await ada.chat.waitForText('Ran.')
    expect(await runs(stage, ada.id)).toBe(1)
    expect(wordsOf(ada.chat)).toEqual(['Ran.'])
  })

  test('APPR-04 INT-5 of two people at the same instant one decides, and the other is told who, what and when', async () => {
    const { chat, ada, eve } = group(-100_701)
    stage.scenes.on('both at once', call('bash', { command: counting }), say('Ran.'))
    ada.say(`@${stage.flow.telegram.bot.username} both at once`)
    const card = await cardOf(chat)
    const taps = [ada.tap(card, 'Approve'), eve.tap(card, 'Deny')]
    const answers = await Promise.all(taps.map((tap) => tap.answered))
    const applied = answers.filter(({ show_alert }) => show_alert !== true)
    const late = answers.filter(({ show_alert }) => show_alert === true)
    expect(applied).toHaveLength(1)
    expect(late[0]?.text).toMatch(
      new RegExp(
        String.raw`^Already (?:approved by Ada|denied by Eve)(?: \(@\w+\))? (?:at|on) ${clock}\.$`,
      ),
    )
    if (late[0]?.text.includes('denied') === true) {
      eve.tap(await untilReads(chat, card, /or tap Just deny/), 'Just deny')
    }
    await chat.waitForText('Ran.')
    expect(await runs(stage, chat.id)).toBe(late[0]?.text.includes('approved') === true ? 1 : 0)
  })

  test('APPR-04 CHAT-02 CHAT-01 others and strangers in a group are told privately, and nothing changes', async () => {
    const { chat, ada, bob, mallory } = group(-100_702)
    stage.scenes.on('not yours', call('bash', { command: counting }), say('Ran.'))
    ada.say(`@${stage.flow.telegram.bot.username} not yours`)
    const card = await cardOf(chat)
    const before = chat.history.length
    for (const label of labels(card).filter((each) => each !== 'Copy')) {
      expect(await bob.tap(card, label).answered).toMatchObject({
        text: expect.stringMatching(
          /^You may not answer this; Ada(?: \(@\w+\))? or an approver can\.$/,
        ),
        show_alert: true,
      })
      expect(await mallory.tap(card, label).answered).toMatchObject({
        text: 'You may not answer this.',
        show_alert: true,
      })
    }
    expect(chat.history).toHaveLength(before)
    expect(await runs(stage, chat.id)).toBe(0)
    expect(storyOf(chat, card)).toEqual(['waiting'])
    ada.tap(card, 'Approve')
    await chat.waitForText('Ran.')
    const old = dataOf(card, 'Deny')
    expect(await bob.chat.tapRaw(bob.user, card.id, old).answered).toMatchObject({
      text: expect.stringMatching(
        /^You may not answer this; Ada(?: \(@\w+\))? or an approver can\.$/,
      ),
    })
    expect(await runs(stage, chat.id)).toBe(1)
  })

  test('APPR-04 a tap long after the decision is told it, whatever became of it, and changes nothing', async () => {
    stage.scenes.on('late tap', call('bash', { command: counting }), say('Left.'))
    const ada = stage.guest()
    ada.say('late tap')
    const card = await cardOf(ada.chat)
    ada.say('/deny')
    await ada.chat.waitForText('Left.')
    await stage.flow.settled(ada.id)
    const before = ada.chat.history.length
    for (const label of ['Approve', 'Deny']) {
      const tap = ada.chat.tapRaw(ada.user, card.id, dataOf(card, label))
      const answer = await tap.answered
      expect(answer.text).toMatch(
        new RegExp(String.raw`^Already denied by Ada(?: \(@\w+\))? (?:at|on) ${clock}\.$`),
      )
      expect(answer.show_alert).toBe(true)
    }
    expect(await runs(stage, ada.id)).toBe(0)
    expect(ada.chat.history).toHaveLength(before)
  })
})
