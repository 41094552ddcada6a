import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import { counting, runs } from '../workspace-commands.ts'
import {
  cardOf,
  copiesOf,
  dataOf,
  labels,
  openStage,
  type Stage,
  shown,
  storyOf,
  untilReads,
} from './stage.ts'

describe('tokens below messages', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('THREAT-8 data that is no token of ours, or of another chat, does nothing and says so', async () => {
    stage.scenes.on('forged', call('bash', { command: counting }), say('Ran.'))
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    ada.say('forged')
    bob.say('forged')
    const card = await cardOf(ada.chat)
    const bobs = await cardOf(bob.chat)
    const forged = [
      randomBytes(16).toString('base64url'),
      'approve',
      '\u0000',
      "'; drop table approval; --",
      'x'.repeat(64),
      dataOf(bobs, 'Approve'),
    ]
    for (const data of forged) {
      const tap = ada.chat.tapRaw(ada.user, card.id, data)
      expect(await tap.answered).toMatchObject({
        text: 'This button is no longer valid here.',
        show_alert: true,
      })
    }
    const stolen = bob.chat.tapRaw(bob.user, bobs.id, dataOf(card, 'Approve'))
    expect((await stolen.answered).show_alert).toBe(true)
    expect(await runs(stage, ada.id)).toBe(0)
    expect(await runs(stage, bob.id)).toBe(0)
    expect(storyOf(ada.chat, card)).toEqual(['waiting'])
    expect(storyOf(bob.chat, bobs)).toEqual(['waiting'])
  })

  test('THREAT-8 the token of one card below another decides its own card, and the other is left as it is', async () => {
    stage.scenes.on(
      'two cards',
      calls([
        toRequest('bash', { command: counting }),
        toRequest('bash', { command: 'printf second' }),
      ]),
      say('Both.'),
    )
    const ada = stage.guest()
    ada.say('two cards')
    const first = await cardOf(ada.chat, 1)
    const second = await cardOf(ada.chat, 2)
    await untilApproved(() => ada.chat.tapRaw(ada.user, first.id, dataOf(second, 'Approve')))
    await untilReads(ada.chat, second, /✅ Approved by Ada/)
    await stage.flow.settled(ada.id)
    expect(await runs(stage, ada.id)).toBe(0)
    expect(storyOf(ada.chat, first)).toEqual(['waiting'])
    expect(shown(ada.chat, first).text).toContain('Approval 1 ·')
    expect(labels(shown(ada.chat, first))).toContain('Approve')
    ada.tap(first, 'Approve')
    await ada.chat.waitForText('Both.')
    expect(await runs(stage, ada.id)).toBe(1)
    expect(storyOf(ada.chat, first).at(-1)).toBe('finished')
  })

  test('THREAT-8 a token below words of the bot decides its card, and the words stay', async () => {
    stage.scenes.on('words first', say('Words that stay.'))
    stage.scenes.on('then a card', call('bash', { command: counting }), say('Ran.'))
    const ada = stage.guest()
    ada.say('words first')
    const words = await ada.chat.waitForText('Words that stay.')
    ada.say('then a card')
    const card = await cardOf(ada.chat)
    await untilApproved(() => ada.chat.tapRaw(ada.user, words.id, dataOf(card, 'Approve')))
    await ada.chat.waitForText('Ran.')
    expect(await runs(stage, ada.id)).toBe(1)
    expect(shown(ada.chat, words).text).toBe('Words that stay.')
  })

  test('THREAT-8 INT-16 CHAT-06 a card whose sending was not recorded works, and every copy is edited to the outcome', async () => {
    stage.scenes.on('orphan', call('bash', { command: counting }), say('Ran.'))
    const ada = stage.guest()
    const { telegram } = stage.flow
    telegram.failNext('sendMessage', { kind: 'drop-after' })
    ada.say('orphan')
    await telegram.waitFor(() => copiesOf(ada.chat).length === 2, {
      what: 'two copies of the card',
    })
    const [orphan, second] = copiesOf(ada.chat)
    if (orphan === undefined || second === undefined) throw new Error('no copies')
    expect(labels(orphan)).toEqual(labels(second))
    expect(await ada.tap(orphan, 'Approve').answered).toMatchObject({ text: 'Approved.' })
    await ada.chat.waitForText('Ran.')
    for (const copy of [orphan, second]) {
      await untilReads(ada.chat, copy, /✅ Approved by Ada(?: \(@\w+\))?, .* → exit 0/)
      expect(labels(shown(ada.chat, copy))).toEqual([])
    }
    expect(await runs(stage, ada.id)).toBe(1)
  })

  test('THREAT-8 INT-16 an orphan that is tapped after the decision is told it, and brought up to date', async () => {
    stage.scenes.on('second orphan', call('bash', { command: counting }), say('Ran.'))
    const ada = stage.guest()
    const { telegram } = stage.flow
    telegram.failNext('sendMessage', { kind: 'drop-after' })
    ada.say('second orphan')
    await telegram.waitFor(() => copiesOf(ada.chat).length === 2, {
      what: 'two copies of the card',
    })
    const [orphan, second] = copiesOf(ada.chat)
    if (orphan === undefined || second === undefined) throw new Error('no copies')
    ada.tap(second, 'Approve')
    await ada.chat.waitForText('Ran.')
    await stage.flow.settled(ada.id)
    expect(labels(shown(ada.chat, orphan))).toContain('Approve')
    const late = await ada.tap(orphan, 'Approve').answered
    expect(late.text).toMatch(/^Already approved by Ada/)
    await untilReads(ada.chat, orphan, /→ exit 0/)
    expect(labels(shown(ada.chat, orphan))).toEqual([])
    expect(await runs(stage, ada.id)).toBe(1)
  })
})

/** Below another message a card is approved once it is recorded as shown, which may be a moment after the chat shows it. */
async function untilApproved(tap: () => { readonly answered: Promise<unknown> }): Promise<void> {
  await vi.waitFor(async () => expect(await tap().answered).toMatchObject({ text: 'Approved.' }), {
    timeout: 90_000,
    interval: 100,
  })
}
