import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import {
  cardOf,
  type Guest,
  labels,
  openStage,
  type Stage,
  shown,
  storyOf,
  toGuest,
  untilReads,
  wordsOf,
} from './stage.ts'

describe('denying with a reason', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** A card that was denied, and waits for its reason. */
  async function deniedCard(ada: Guest, opening: string, by: Guest = ada) {
    const command = `touch ${opening.replaceAll(' ', '-')}`
    const scene = stage.scenes.on(opening, call('bash', { command }), say('I leave it.'))
    ada.say(opening)
    const card = await cardOf(ada.chat)
    const tap = by.tap(card, 'Deny')
    expect(await tap.answered).toMatchObject({
      text: 'Denied. Write why within 5 minutes (in a group as a reply to the card), or tap Just deny.',
      show_alert: false,
    })
    const denying = await untilReads(ada.chat, card, /🚫 Denied by/)
    return { scene, card, denying }
  }

  test('TG-03 APPR-03 after Deny the card says how to give a reason, and a reply by whoever denied reaches the model as it', async () => {
    const ada = stage.guest()
    const { scene, card, denying } = await deniedCard(ada, 'delete it')
    expect(denying.text).toMatch(
      /🚫 Denied by (Ada(?: \(@\w+\))?), (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC\. Until (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC \1 can reply to this message with the reason, or tap Just deny\.$/,
    )
    expect(labels(denying)).toEqual(['Just deny'])
    expect(scene.requests).toHaveLength(1)
    ada.say('ask Bob first', { replyTo: card.id })
    await ada.chat.waitForText('I leave it.')
    await stage.flow.settled(ada.id)
    expect(scene.lastHeard()).toContain('category: policy_blocked')
    expect(scene.lastHeard()).toContain('rejected by user: ask Bob first')
    expect(shown(ada.chat, card)).toMatchObject({ buttons: [] })
    expect(shown(ada.chat, card).text).toMatch(/🚫 Denied by Ada(?: \(@\w+\))?, .*: ask Bob first$/)
    expect(storyOf(ada.chat, card)).toEqual(['waiting', 'denying', 'denied'])
    expect(wordsOf(ada.chat)).toEqual(['I leave it.'])
  })

  test('TG-03 Just deny ends the wait at once', async () => {
    const ada = stage.guest()
    const { scene, card } = await deniedCard(ada, 'just no')
    expect(await ada.tap(card, 'Just deny').answered).toMatchObject({ text: 'Denied.' })
    await ada.chat.waitForText('I leave it.')
    await stage.flow.settled(ada.id)
    expect(scene.lastHeard()).toContain('rejected by user')
    expect(scene.lastHeard()).not.toContain('rejected by user:')
    expect(storyOf(ada.chat, card)).toEqual(['waiting', 'denying', 'denied'])
    expect(shown(ada.chat, card).text).toMatch(
      /🚫 Denied by Ada(?: \(@\w+\))?, (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC$/,
    )
  })

  test('TG-03 CHAT-08 DECISION-17 an ordinary message by the same person is the reason too, and the turn goes on at once', async () => {
    const ada = stage.guest()
    const { scene, card } = await deniedCard(ada, 'no reply at all')
    const [asked] = ada.chat.messages()
    ada.say('use the other folder', { replyTo: asked?.id ?? 0 })
    await ada.chat.waitForText('I leave it.')
    await stage.flow.settled(ada.id)
    expect(scene.lastHeard()).toContain('rejected by user: use the other folder')
    expect(storyOf(ada.chat, card)).toEqual(['waiting', 'denying', 'denied'])
    expect(wordsOf(ada.chat)).toEqual(['I leave it.'])
  })

  test('TG-03 DECISION-16 a reply by somebody else is a message, and nobody else can decide or end the wait', async () => {
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const members = [ada.user, bob.user, stage.eve]
    const chat = stage.flow.telegram.group({ id: -100_501, title: 'Ops', members })
    const adaHere = toGuest(ada.user, chat)
    const bobHere = toGuest(bob.user, chat)
    const eveHere = toGuest(stage.eve, chat)
    const bot = stage.flow.telegram.bot.username
    const scene = stage.scenes.on('group job', call('bash', { command: 'touch g' }), say('Left.'))
    stage.scenes.on('because of me', say('Bob, I hear you.'))
    adaHere.say(`@${bot} group job`)
    const card = await cardOf(chat)
    eveHere.tap(card, 'Deny')
    const denying = await untilReads(chat, card, /🚫 Denied by Eve/)
    expect(await adaHere.tap(denying, 'Just deny').answered).toMatchObject({
      text: expect.stringMatching(
        /^Already denied by Eve(?: \(@\w+\))? (?:at|on) (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC\.$/,
      ),
      show_alert: true,
    })
    bobHere.say('because of me', { replyTo: card.id })
    await chat.waitForText('It gets its own turn')
    expect(storyOf(chat, card).at(-1)).toBe('denying')
    eveHere.say('not on a Friday', { replyTo: card.id })
    await chat.waitForText('Left.')
    await chat.waitForText('Bob, I hear you.')
    await stage.flow.settled(chat.id)
    expect(scene.lastHeard()).toContain('rejected by user: not on a Friday')
    expect(scene.lastHeard()).not.toContain('because of me')
    expect(storyOf(chat, card)).toEqual(['waiting', 'denying', 'denied'])
  })

  test('TG-03 the end of the window settles the denial, and a reply after it is a message', async () => {
    const ada = stage.guest()
    const { scene, card } = await deniedCard(ada, 'time is over')
    stage.scenes.on('too late a reason', say('A message, then.'))
    const past = new Date(Date.now() - 1_000)
    await stage.flow.db
      .updateTable('approval')
      .set({ reason_until: past })
      .where('reason_until', 'is not', null)
      .execute()
    await ada.chat.waitForText('I leave it.')
    ada.say('too late a reason', { replyTo: card.id })
    await ada.chat.waitForText('A message, then.')
    await stage.flow.settled(ada.id)
    expect(scene.lastHeard()).not.toContain('rejected by user:')
    expect(storyOf(ada.chat, card)).toEqual(['waiting', 'denying', 'denied'])
  })

  test('TG-03 LOOP-14 /stop while a reason may follow leaves it denied, and ends the turn', async () => {
    const ada = stage.guest()
    const { scene, card } = await deniedCard(ada, 'stop the reason')
    ada.say('/stop')
    await ada.chat.waitForText('Stopped by Ada')
    await stage.flow.settled(ada.id)
    expect(shown(ada.chat, card)).toMatchObject({ buttons: [] })
    expect(storyOf(ada.chat, card)).toEqual(['waiting', 'denying', 'denied'])
    expect(scene.requests).toHaveLength(1)
  })

  test('APPR-03 APPR-09 /deny with a reason reaches the model without a window', async () => {
    const ada = stage.guest()
    const command = 'touch by-command'
    const scene = stage.scenes.on('by command', call('bash', { command }), say('I leave it.'))
    ada.say('by command')
    const card = await cardOf(ada.chat)
    ada.say('/deny 1 because it is <b>late</b> & dark')
    await ada.chat.waitForText('I leave it.')
    await stage.flow.settled(ada.id)
    expect(scene.lastHeard()).toContain('rejected by user: because it is <b>late</b> & dark')
    expect(shown(ada.chat, card).text).toMatch(/: because it is <b>late<\/b> & dark$/)
    expect(storyOf(ada.chat, card)).toEqual(['waiting', 'denied'])
  })
})
