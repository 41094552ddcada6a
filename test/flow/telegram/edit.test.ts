import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, labels, openStage, type Stage, shown, untilReads } from './stage.ts'

describe('changing what a card asks about', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-14 after Edit a reply to the card is the command that runs, and the model is told', async () => {
    const ada = stage.guest()
    const scene = stage.scenes.on('say hi', call('bash', { command: 'printf hi' }), say('Said.'))
    ada.say('say hi')
    const card = await cardOf(ada.chat)
    expect(labels(card)).toContain('Edit')
    expect(await ada.tap(card, 'Edit').answered).toMatchObject({
      text: 'Reply to the card within 10 minutes with the new command.',
    })
    expect(labels(shown(ada.chat, card))).toContain('Approve')
    ada.say('/usr/bin/printf "good day"', { replyTo: card.id })
    await ada.chat.waitForText('Said.')
    await stage.flow.settled(ada.id)
    expect(shown(ada.chat, card).text).toContain('changed by Ada')
    expect(labels(shown(ada.chat, card))).toEqual([])
    const next = await ada.chat.waitForText('Approval 2')
    await untilReads(ada.chat, next, /exit 0/)
    const told = ada.chat.history.map(({ message }) => message.text).join('\n')
    expect(told).toContain('the model asked for: printf hi')
    expect(scene.lastHeard()).toContain('A person changed this call')
    expect(scene.lastHeard()).toContain('good day')
  })

  test('APPR-14 DECISION-17 without Edit, or by somebody else, a reply to a card is a message and changes nothing', async () => {
    const ada = stage.guest()
    stage.scenes.on('wait for it', call('bash', { command: 'printf wait' }), say('Done.'))
    ada.say('wait for it')
    const card = await cardOf(ada.chat)
    ada.say('printf other', { replyTo: card.id })
    await ada.chat.waitForText('Noted')
    expect(labels(shown(ada.chat, card))).toContain('Approve')
    expect(shown(ada.chat, card).text).toContain('printf wait')
  })
})
