import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
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

describe('grants with an end', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-15 APPR-12 TG-02 one tap allows the like for 1 h, /grants lists it, and one tap takes it back', async () => {
    const { flow, scenes } = stage
    scenes.on('touch', call('bash', { command: 'touch one' }), say('Touched.'))
    scenes.on('once more', call('bash', { command: 'touch two' }), say('Again.'))
    scenes.on('at last', call('bash', { command: 'touch three' }), say('At last.'))
    const ada = stage.guest()
    ada.say('touch')
    const card = await cardOf(ada.chat)
    expect(card.buttons.map((row) => row.map(({ text }) => text))).toEqual([
      ['Approve', 'Always…', 'Deny'],
      ['Edit', 'Copy'],
    ])
    expect(await tapAlways(ada, card, '1 h')).toMatchObject({ text: 'Approved, for 1 h.' })
    const done = await untilReads(ada.chat, card, /→ exit 0/)
    expect(done.text).toMatch(/✅ Approved by Ada.*, \d\d:\d\d UTC; touch \* for 1 h → exit 0/)
    expect(labels(done)).toEqual([])
    await ada.chat.waitForText('Touched.')
    ada.say('once more')
    await ada.chat.waitForText('Again.')
    ada.say('/grants')
    const list = await ada.chat.waitForText('Your grants in this session')
    expect(list.text).toMatch(
      /1 {2}bash {2}touch \*\n {4}until .*\d\d:\d\d UTC; by Ada.*, \d\d:\d\d UTC/,
    )
    expect(labels(list)).toEqual(['Revoke 1'])
    expect(await ada.tap(list, 'Revoke 1').answered).toMatchObject({
      text: 'Grant 1 (bash) is revoked; similar calls ask again.',
    })
    await ada.chat.waitForMessage(
      (message) => message.id === list.id && message.buttons.length === 0,
      { what: 'the list without its button' },
    )
    await flow.settled(ada.id)
    ada.say('at last')
    expect(storyOf(ada.chat, await cardOf(ada.chat, 2))).toEqual(['waiting'])
    expect(wordsOf(ada.chat).filter((text) => text.startsWith('Your grants'))).toHaveLength(1)
  })

  test('APPR-15 THREAT-6 in a group the lists go to whoever asked; an approver takes out what holds for everybody', async () => {
    const { flow, scenes } = stage
    const rules = () =>
      readFile(join(flow.dataDir, 'workers', 'default', 'permissions.jsonc'), 'utf8')
    const ada = stage.guest()
    const eve = toGuest(stage.eve, flow.telegram.privateChat(stage.eve))
    const chat = flow.telegram.group({ id: -100_701, title: 'Ops', members: [ada.user, stage.eve] })
    const before = await rules()
    scenes.on('count', call('bash', { command: 'wc -c notes' }), say('Counted.'))
    const name = `@${flow.telegram.bot.username}`
    toGuest(ada.user, chat).say(`${name} count`)
    await tapAlways(toGuest(stage.eve, chat), await cardOf(chat))
    await chat.waitForText('Counted.')
    expect(await rules()).toContain('"wc *": "allow"')
    toGuest(stage.eve, chat).say(`/grants${name}`)
    await chat.waitForText('Sent to you in a private chat.')
    const list = await eve.chat.waitForText('Rules that “Always” wrote for everybody')
    expect(list.text).toContain('w1  bash  wc *')
    expect(wordsOf(chat).join('\n')).not.toContain('wc *')
    expect(await eve.tap(list, 'Revoke w1').answered).toMatchObject({
      text: 'Rule w1 is being removed.',
    })
    await eve.chat.waitForText('Rule w1 (bash) of worker default is removed')
    expect(await rules()).not.toContain('wc')
    expect(labels(shown(eve.chat, list))).toEqual([])
    expect(before).not.toContain('wc')
  })
})
