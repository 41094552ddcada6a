import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import type { Fault } from '../../support/telegram/limits/faults.ts'
import { cardOf, copiesOf, openStage, type Stage, storyOf, untilReads, wordsOf } from './stage.ts'

describe('trouble with the platform', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ settings: { COUNTERSIGN_LOGGING_ALERTS_TO: 'telegram:45' } })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('CHAT-06 DECISION-26 what a person who blocked the bot cannot be told is given up, operators are told, and it goes on after that', async () => {
    const { flow, scenes } = stage
    const operators = flow.telegram.privateChat(stage.olga)
    const gate = Promise.withResolvers<void>()
    scenes.on('block', async () => {
      await gate.promise
      return say('Not to be read.')
    })
    scenes.on('are you there', say('I am.'))
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    ada.say('block')
    await flow.telegram.waitFor(() => flow.telegram.pendingUpdates().length === 0)
    ada.chat.block()
    gate.resolve()
    const alert = await operators.waitForText('could not be delivered')
    expect(alert.text).toContain('the person blocked the bot')
    bob.say('are you there')
    await bob.chat.waitForText('I am.')
    ada.chat.unblock()
    ada.say('are you there')
    await ada.chat.waitForText('I am.')
    await flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toEqual(['I am.'])
    expect(JSON.stringify(operators.messages())).not.toContain(flow.telegram.token)
  })

  const faults: readonly (readonly [string, Fault])[] = [
    ['a connection lost before', { kind: 'drop-before' }],
    ['an error 500', { kind: 'status', code: 500, description: 'Internal Server Error' }],
    ['an error 502 of a proxy', { kind: 'status', code: 502 }],
    ['a request to wait', { kind: '429', retryAfter: 1 }],
    ['a connection lost after', { kind: 'drop-after' }],
  ]

  test('CHAT-06 TG-05 lost connections, errors and requests to wait are survived: nothing is lost, and the order stays', async () => {
    const { flow, scenes } = stage
    const early = flow.telegram.tooEarly
    const asked = faults.map(async ([name, fault], index) => {
      const opening = `trouble ${index}`
      scenes.on(opening, call('bash', { command: 'printf x' }), say(`Answer after ${name}.`))
      const ada = stage.guest()
      // Counted by chat, since all of them talk at once.
      let met = 0
      return { ada, name, opening, fault, isMet: () => met++ === 0 }
    })
    const scenesOfTrouble = await Promise.all(asked)
    flow.telegram.fault = ({ method, params }) =>
      method === 'sendMessage'
        ? scenesOfTrouble.find(({ ada, isMet }) => Number(params['chat_id']) === ada.id && isMet())
            ?.fault
        : undefined
    try {
      for (const { ada, opening } of scenesOfTrouble) ada.say(opening)
      for (const { ada, name, fault } of scenesOfTrouble) {
        const card = await cardOf(ada.chat)
        ada.say('/status')
        await ada.chat.waitForText('Model:')
        ada.tap(card, 'Approve')
        const answer = `Answer after ${name}.`
        await ada.chat.waitForMessage(({ text }) => text === answer)
        await flow.settled(ada.id)
        const [status, ...rest] = wordsOf(ada.chat)
        expect(status).toContain('Model:')
        expect(rest).toEqual([answer])
        expect(copiesOf(ada.chat)).toHaveLength(fault.kind === 'drop-after' ? 2 : 1)
        await untilReads(ada.chat, card, /→ exit 0/)
      }
    } finally {
      flow.telegram.fault = undefined
    }
    expect(flow.telegram.tooEarly).toBe(early)
  })

  test('CHAT-06 APPR-05 an edit that fails comes again, and states that were overtaken are left out', async () => {
    const { flow, scenes } = stage
    scenes.on('edit trouble', call('bash', { command: 'printf x' }), say('Ran.'))
    const ada = stage.guest()
    ada.say('edit trouble')
    const card = await cardOf(ada.chat)
    flow.telegram.failNext('editMessageText', { kind: 'drop-after' }, { kind: 'drop-before' })
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Ran.')
    await untilReads(ada.chat, card, /→ exit 0/)
    await flow.settled(ada.id)
    const story = storyOf(ada.chat, card)
    expect(story).toEqual([...new Set(story)])
    expect(story.at(-1)).toBe('finished')
  })

  test('CHAT-06 APPR-05 a card that somebody deleted holds up nothing', async () => {
    const { flow, scenes } = stage
    scenes.on('deleted card', call('bash', { command: 'printf x' }), say('Ran all the same.'))
    const ada = stage.guest()
    ada.say('deleted card')
    const card = await cardOf(ada.chat)
    // What was not yet recorded as shown cannot be answered by its number.
    const pending = () =>
      flow.db.selectFrom('outbox').select('id').where('state', '=', 'pending').execute()
    await expect.poll(pending).toEqual([])
    ada.chat.delete(card.id)
    // By its number: without one it is not meant until the product knows that Telegram showed it.
    ada.say('/approve 1')
    await ada.chat.waitForText('Ran all the same.')
    await flow.settled(ada.id)
  })

  test('TG-02 INT-17 a tap whose answer is refused as too old is decided all the same', async () => {
    const { flow, scenes } = stage
    scenes.on('old query', call('bash', { command: 'printf x' }), say('Decided.'))
    const ada = stage.guest()
    ada.say('old query')
    const card = await cardOf(ada.chat)
    const description =
      'Bad Request: query is too old and response timeout expired or query ID is invalid'
    flow.telegram.failNext('answerCallbackQuery', { kind: 'status', code: 400, description })
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Decided.')
    await untilReads(ada.chat, card, /→ exit 0/)
  })
})
