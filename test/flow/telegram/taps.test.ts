import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import {
  cardOf,
  copiesOf,
  labels,
  openStage,
  type Stage,
  shown,
  storyOf,
  toGuest,
  untilReads,
  wordsOf,
} from './stage.ts'

const counting = 'echo ran | tee -a counter.txt'
const clock = String.raw`\d\d:\d\d UTC`

describe('taps', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** How often the counting command ran in a conversation. */
  async function runs(chatId: number): Promise<number> {
    const { flow } = stage
    await flow.settled(chatId)
    const { id } = await flow.db
      .selectFrom('conversation')
      .select('id')
      .where('external_id', '=', String(chatId))
      .executeTakeFirstOrThrow()
    const path = join(flow.dataDir, 'workspaces', id, 'counter.txt')
    const text = await readFile(path, 'utf8').catch(() => '')
    return text.split('\n').filter((line) => line === 'ran').length
  }

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

  const dataOf = (message: SeenMessage, label: string): string => {
    const button = message.buttons.flat().find(({ text }) => text === label)
    return button !== undefined && 'callback_data' in button ? (button.callback_data ?? '') : ''
  }

  test('APPR-04 the same tap twice is one execution, and the second is told who decided what and when', async () => {
    stage.scenes.on('tap twice', call('bash', { command: counting }), say('Ran.'))
    const ada = stage.guest()
    ada.say('tap twice')
    const card = await cardOf(ada.chat)
    const taps = [ada.tap(card, 'Approve'), ada.tap(card, 'Approve')]
    const answers = await Promise.all(taps.map((tap) => tap.answered))
    expect(answers[0]).toMatchObject({ text: 'Approved.', show_alert: false })
    expect(answers[1]?.text).toMatch(new RegExp(`^Already approved by Ada at ${clock}\\.$`))
    expect(answers[1]?.show_alert).toBe(true)
    await ada.chat.waitForText('Ran.')
    expect(await runs(ada.id)).toBe(1)
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
      new RegExp(`^Already (?:approved by Ada|denied by Eve) at ${clock}\\.$`),
    )
    if (late[0]?.text.includes('denied')) eve.tap(await cardOf(chat), 'Just deny')
    await chat.waitForText('Ran.')
    expect(await runs(chat.id)).toBe(late[0]?.text.includes('approved') === true ? 1 : 0)
  })

  test('APPR-04 CHAT-02 CHAT-01 others and strangers in a group are told privately, and nothing changes', async () => {
    const { chat, ada, bob, mallory } = group(-100_702)
    stage.scenes.on('not yours', call('bash', { command: counting }), say('Ran.'))
    ada.say(`@${stage.flow.telegram.bot.username} not yours`)
    const card = await cardOf(chat)
    const before = chat.history.length
    for (const label of ['Approve', 'Always', 'Deny']) {
      if (!labels(card).includes(label)) continue
      expect(await bob.tap(card, label).answered).toMatchObject({
        text: 'You may not answer this; Ada or an approver can.',
        show_alert: true,
      })
      expect(await mallory.tap(card, label).answered).toMatchObject({
        text: 'You may not answer this.',
        show_alert: true,
      })
    }
    expect(chat.history).toHaveLength(before)
    expect(await runs(chat.id)).toBe(0)
    expect(storyOf(chat, card)).toEqual(['waiting'])
    ada.tap(card, 'Approve')
    await chat.waitForText('Ran.')
    const old = dataOf(card, 'Deny')
    expect(await bob.chat.tapRaw(bob.user, card.id, old).answered).toMatchObject({
      text: 'You may not answer this; Ada or an approver can.',
    })
    expect(await runs(chat.id)).toBe(1)
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
      expect(answer.text).toMatch(new RegExp(`^Already denied by Ada at ${clock}\\.$`))
      expect(answer.show_alert).toBe(true)
    }
    expect(await runs(ada.id)).toBe(0)
    expect(ada.chat.history).toHaveLength(before)
  })

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
        text: 'This button is not valid here any more.',
        show_alert: true,
      })
    }
    const stolen = bob.chat.tapRaw(bob.user, bobs.id, dataOf(card, 'Approve'))
    expect((await stolen.answered).show_alert).toBe(true)
    expect(await runs(ada.id)).toBe(0)
    expect(await runs(bob.id)).toBe(0)
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
    const tap = ada.chat.tapRaw(ada.user, first.id, dataOf(second, 'Approve'))
    expect(await tap.answered).toMatchObject({ text: 'Approved.' })
    await untilReads(ada.chat, second, /✅ Approved by Ada/)
    await stage.flow.settled(ada.id)
    expect(await runs(ada.id)).toBe(0)
    expect(storyOf(ada.chat, first)).toEqual(['waiting'])
    expect(shown(ada.chat, first).text).toContain('Question 1 ·')
    expect(labels(shown(ada.chat, first))).toContain('Approve')
    ada.tap(first, 'Approve')
    await ada.chat.waitForText('Both.')
    expect(await runs(ada.id)).toBe(1)
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
    ada.chat.tapRaw(ada.user, words.id, dataOf(card, 'Approve'))
    await ada.chat.waitForText('Ran.')
    expect(await runs(ada.id)).toBe(1)
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
      await untilReads(ada.chat, copy, /✅ Approved by Ada, .* → exit 0/)
      expect(labels(shown(ada.chat, copy))).toEqual([])
    }
    expect(await runs(ada.id)).toBe(1)
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
    expect(await runs(ada.id)).toBe(1)
  })
})
