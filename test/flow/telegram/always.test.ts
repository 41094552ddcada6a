import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import {
  cardOf,
  labels,
  openStage,
  type Stage,
  shown,
  storyOf,
  tapAlways,
  toGuest,
  untilReads,
  wordsOf,
} from './stage.ts'

describe('Always', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const rules = () =>
    readFile(join(stage.flow.dataDir, 'workers', 'default', 'permissions.jsonc'), 'utf8')

  test('APPR-07 APPR-10 APPR-15 by a user on one of two cards resolves the other and all later ones of the conversation, in the session only', async () => {
    const { flow, scenes } = stage
    scenes.on(
      'two alike',
      calls([
        toRequest('bash', { command: 'touch one' }),
        toRequest('bash', { command: 'touch two' }),
        toRequest('bash', { command: 'printf other' }),
      ]),
      say('All three.'),
    )
    scenes.on('one more', call('bash', { command: 'touch three; ls' }), say('One more.'))
    scenes.on('again', call('bash', { command: 'touch four' }), say('Again.'))
    const ada = stage.guest()
    ada.say('two alike')
    const first = await cardOf(ada.chat, 1)
    const second = await cardOf(ada.chat, 2)
    const third = await cardOf(ada.chat, 3)
    expect(first.text).toContain('Always would allow touch *')
    expect(await tapAlways(ada, first)).toMatchObject({ text: 'Approved, always.' })
    await untilReads(ada.chat, second, /→ exit 0/)
    expect(shown(ada.chat, second)).toMatchObject({ buttons: [] })
    expect(storyOf(ada.chat, third)).toEqual(['waiting'])
    expect(shown(ada.chat, second).text).toMatch(/by a rule|“Always”/)
    ada.tap(third, 'Approve')
    await ada.chat.waitForText('All three.')
    ada.say('again')
    await ada.chat.waitForText('Again.')
    await flow.settled(ada.id)
    expect(ada.chat.botMessages().filter(({ text }) => text.startsWith('❯'))).toHaveLength(3)
    expect(await rules()).not.toContain('touch')
    const bob = stage.guest('Bob')
    bob.say('again')
    await cardOf(bob.chat)
  })

  test('APPR-07 CHAT-01 by an approver it is written to the rules of the worker and holds for everybody', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const chat = flow.telegram.group({ id: -100_601, title: 'Ops', members: [ada.user, stage.eve] })
    const adaHere = toGuest(ada.user, chat)
    const eveHere = toGuest(stage.eve, chat)
    scenes.on('make a folder', call('bash', { command: 'mkdir -p made' }), say('Folder made.'))
    adaHere.say(`@${flow.telegram.bot.username} make a folder`)
    const card = await cardOf(chat)
    expect(card.text).toContain('Always would allow mkdir *')
    expect(await tapAlways(eveHere, card)).toMatchObject({ text: 'Approved, always.' })
    await chat.waitForText('Folder made.')
    await flow.settled(chat.id)
    expect(storyOf(chat, card).at(-1)).toBe('finished')
    expect(await rules()).toMatch(/\/\/ granted by telegram:44.*\n\s*"mkdir \*": "allow"/)
    const bob = stage.guest('Bob')
    bob.say('make a folder')
    await bob.chat.waitForText('Folder made.')
    await flow.settled(bob.id)
    expect(bob.chat.botMessages()).toHaveLength(1)
  })

  test('APPR-23 where a command may not be allowed for always the card says so and has no such button', async () => {
    const { scenes } = stage
    scenes.on('unknown name', call('bash', { command: 'touch a$NAME' }), say('Done.'))
    const ada = stage.guest()
    ada.say('unknown name')
    const card = await cardOf(ada.chat)
    expect(card.text).toContain('Always is not offered here.')
    expect(labels(card)).toEqual(['Approve', 'Deny', 'Edit', 'Copy'])
    ada.say('/always 1')
    await ada.chat.waitForText('“Always” is not offered for this call; approve or deny it.')
    expect(storyOf(ada.chat, card)).toEqual(['waiting'])
    ada.say('/approve')
    await ada.chat.waitForText('Done.')
    expect(wordsOf(ada.chat)).toHaveLength(3)
  })
})
