import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import {
  cardOf,
  copiesOf,
  openStage,
  type Stage,
  shown,
  storyOf,
  tapAlways,
  toGuest,
  untilReads,
  wordsOf,
} from './stage.ts'

describe('groups', () => {
  let stage: Stage
  let at = ''
  beforeAll(async () => {
    stage = await openStage()
    at = `@${stage.flow.telegram.bot.username}`
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const quiet = () =>
    stage.flow.telegram.waitFor(() => stage.flow.telegram.pendingUpdates().length === 0)

  test('TG-04 a mention, a reply to the bot and a command start something, other talk does not', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const chat = flow.telegram.group({ id: -100_901, title: 'Ops', members: [ada.user, bob.user] })
    const adaHere = toGuest(ada.user, chat)
    const bobHere = toGuest(bob.user, chat)
    const scene = scenes.on('weather', say('Fine.'))
    const talk = scenes.on('just talk', say('never'))
    adaHere.say('just talk')
    bobHere.say('just talk @somebody_else')
    adaHere.say('/status@another_bot')
    const bobs = bobHere.say('just talk')
    adaHere.say('just talk', { replyTo: bobs })
    await quiet()
    adaHere.say(`${at}, weather today`)
    const answer = await chat.waitForText('Fine.')
    expect(scene.lastHeard()).toBe('weather today')
    scenes.on('and tomorrow', say('Rain.'))
    bobHere.say('and tomorrow', { replyTo: answer.id })
    await chat.waitForText('Rain.')
    adaHere.say(`/help${at}`)
    await chat.waitForText('Write what you want done.')
    adaHere.say('/status')
    await chat.waitForText('Model:')
    expect(wordsOf(chat)).toHaveLength(4)
    expect(talk.requests).toEqual([])
  })

  test('THREAT-6 what a call gave is shown to whoever asks for it alone, not to the group', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const chat = flow.telegram.group({ id: -100_907, title: 'Ops', members: [ada.user, bob.user] })
    scenes.on('look around', call('list_directory', { path: '.' }), say('Seen.'))
    toGuest(ada.user, chat).say(`${at} look around`)
    await chat.waitForText('Seen.')
    toGuest(bob.user, chat).say(`/output${at}`)
    await chat.waitForText('Sent to you in a private chat.')
    await bob.chat.waitForText('Call 1, list_directory')
    expect(wordsOf(chat).join('\n')).not.toContain('Call 1, list_directory')
  })

  test('TG-06 CHAT-02 where the bot is an administrator, a refusal is shown to whoever it concerns, and to nobody else', async () => {
    const { flow } = stage
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const chat = flow.telegram.group({ id: -100_909, title: 'Ops', members: [ada.user, bob.user] })
    chat.promote()
    toGuest(bob.user, chat).say(`/approve${at} 7`)
    await flow.telegram.waitFor(() => chat.ephemeral.length === 1)
    toGuest(ada.user, chat).say('/status')
    await chat.waitForText('Model:')
    expect(chat.ephemeral).toMatchObject([
      {
        receiver: { id: bob.user.id },
        text: 'There is no approval 7. /approvals lists what is waiting.',
      },
    ])
    expect(wordsOf(chat).join('\n')).not.toContain('There is no approval')
  })

  test('TG-04 the topics of a forum are conversations of their own, and answers come in their topic', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const members = [ada.user]
    const chat = flow.telegram.group({ id: -1_001_902, title: 'Forum', members, forum: true })
    const here = toGuest(ada.user, chat)
    const red = chat.topic('Red')
    const blue = chat.topic('Blue')
    const scene = scenes.on('in topic', (request) => {
      const users = request.messages.filter(({ role }) => role === 'user')
      return say(`Heard ${users.map(({ text }) => text).join(', ')}.`)
    })
    scenes.on('card there', call('bash', { command: 'printf x' }), say('Ran there.'))
    here.say(`${at} in topic red`, { topic: red })
    await chat.waitForText('Heard in topic red.')
    here.say(`${at} in topic blue`, { topic: blue })
    await chat.waitForText('Heard in topic blue.')
    here.say(`${at} in topic general`)
    await chat.waitForText('Heard in topic general.')
    here.say(`${at} card there`, { topic: blue })
    const card = await cardOf(chat)
    expect(card.threadId).toBe(blue)
    here.say('/status', { topic: red })
    const status = await chat.waitForText('Model:')
    expect(status.text).toContain('nothing is waiting for an answer')
    expect(status.threadId).toBe(red)
    here.tap(card, 'Approve')
    expect((await chat.waitForText('Ran there.')).threadId).toBe(blue)
    const threads = chat
      .botMessages()
      .filter(({ text }) => text.startsWith('Heard'))
      .map(({ threadId }) => threadId)
    expect(threads).toEqual([red, blue, undefined])
    expect(scene.requests).toHaveLength(3)
  })

  test('LOOP-03 THREAT-6 another person’s message waits for a turn of its own, as theirs: card, grants and answer', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const chat = flow.telegram.group({ id: -100_903, title: 'Ops', members: [ada.user, bob.user] })
    const adaHere = toGuest(ada.user, chat)
    const bobHere = toGuest(bob.user, chat)
    const adas = scenes.on('first job', call('bash', { command: 'touch a' }), say('Ada’s is done.'))
    scenes.on('second job', call('bash', { command: 'touch b' }), say('Bob’s is done.'))
    adaHere.say(`${at} first job`)
    const card = await cardOf(chat, 1)
    expect(card.text).toMatch(/^❯ Ada(?: \(@\w+\))?'s agent wants to run a command:\n/)
    bobHere.say(`${at} second job`)
    await chat.waitForText('Noted. It gets its own turn when the current one has ended.')
    expect(shown(chat, card).text).toContain('Waiting for an answer.')
    expect(shown(chat, card).text).not.toContain('💬')
    expect(copiesOf(chat, 2)).toEqual([])
    expect(await bobHere.tap(card, 'Approve').answered).toMatchObject({ show_alert: true })
    expect(await tapAlways(adaHere, card)).toMatchObject({ text: 'Approved, always.' })
    await chat.waitForText('Ada’s is done.')
    const bobs = await cardOf(chat, 2)
    expect(bobs.text).toMatch(/^❯ Bob.*'s agent wants to run a command/)
    expect(bobs.text).toMatch(/Who may answer Bob(?: \(@\w+\))? or an approver/)
    expect(await adaHere.tap(bobs, 'Approve').answered).toMatchObject({
      text: expect.stringMatching(
        /^You may not answer this; Bob(?: \(@\w+\))? or an approver can\.$/,
      ),
    })
    expect(storyOf(chat, card)).not.toContain('cancelled')
    bobHere.tap(bobs, 'Approve')
    await chat.waitForText('Bob’s is done.')
    await untilReads(chat, bobs, /Approved by Bob/)
    expect(adas.lastHeard()).not.toContain('second job')
  })

  test('CHAT-07 TG-04 what is no file to keep is told of as not taken, a caption is handled, and what is not for the bot gets no word', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const alone = 'I can only read text; the file was not taken.'
    ada.chat.sendSticker(ada.user)
    await ada.chat.waitForText(alone)
    scenes.on('what is this', say('A photo, I am told.'))
    ada.chat.sendPhoto(ada.user, { caption: 'what is this' })
    await ada.chat.waitForText('A photo, I am told.')
    expect(wordsOf(ada.chat)).toEqual([
      alone,
      expect.stringMatching(/^Saved uploads\/photo-/),
      'A photo, I am told.',
    ])
    const chat = flow.telegram.group({ id: -100_908, title: 'Ops', members: [ada.user] })
    chat.sendPhoto(ada.user)
    chat.sendPhoto(ada.user, { caption: 'just a photo' })
    await quiet()
    scenes.on('[Files that came', say('What of it?'))
    chat.sendPhoto(ada.user, { caption: at })
    await chat.waitForText('What of it?')
    expect(wordsOf(chat)).toHaveLength(2)
  })

  test('LOOP-03 different chats do not wait for each other', async () => {
    const { scenes } = stage
    const gate = Promise.withResolvers<void>()
    scenes.on('slow one', async () => {
      await gate.promise
      return say('Slow.')
    })
    scenes.on('quick one', say('Quick.'))
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    ada.say('slow one')
    bob.say('quick one')
    await bob.chat.waitForText('Quick.')
    expect(wordsOf(ada.chat)).toEqual([])
    gate.resolve()
    await ada.chat.waitForText('Slow.')
  })
})
