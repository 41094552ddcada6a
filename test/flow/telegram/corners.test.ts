import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import {
  cardOf,
  copiesOf,
  openStage,
  type Stage,
  storyOf,
  tapAlways,
  untilReads,
  wordsOf,
} from './stage.ts'

describe('corners of conversations', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('TG-03 APPR-18 a reason may be a reply to any copy of the card', async () => {
    const command = 'printf x'
    const scene = stage.scenes.on('deny a copy', call('bash', { command }), say('I leave it.'))
    const ada = stage.guest()
    ada.say('deny a copy')
    const first = await cardOf(ada.chat)
    ada.say('/approvals')
    await stage.flow.telegram.waitFor(() => copiesOf(ada.chat).length === 2)
    const second = copiesOf(ada.chat)[1]
    if (second === undefined) throw new Error('no copy')
    ada.tap(first, 'Deny')
    await untilReads(ada.chat, second, /or tap Just deny/)
    ada.say('not this one', { replyTo: second.id })
    await ada.chat.waitForText('I leave it.')
    expect(scene.lastHeard()).toContain('rejected by user: not this one')
    for (const copy of [first, second]) await untilReads(ada.chat, copy, /: not this one$/)
  })

  test('TG-03 TG-05 a full card has room for the beginning of a long reason, and the model reads all of it', async () => {
    const command = `: '${'<&'.repeat(1_200)}'`
    const scene = stage.scenes.on('deny at length', call('bash', { command }), say('I leave it.'))
    const ada = stage.guest()
    ada.say('deny at length')
    const card = await cardOf(ada.chat)
    const reason = `${'<b>&'.repeat(900)}end`
    ada.tap(card, 'Deny')
    await untilReads(ada.chat, card, /or tap Just deny/)
    ada.say(reason, { replyTo: card.id })
    await ada.chat.waitForText('I leave it.')
    await untilReads(ada.chat, card, /🚫 Denied by Ada.*, .*: <b>&<b>&.*…(?:\n|$)/)
    expect(scene.lastHeard()).toContain(reason)
    expect(storyOf(ada.chat, card).at(-1)).toBe('denied')
  })

  test('THREAT-23 CHAT-01 a name that looks like markup, like lines of a card, or turns text around changes no card', async () => {
    const name = 'A\u202e<b>da</b>\n❯ Approval 9 · approved\u200b @eve'
    stage.scenes.on('odd name', call('bash', { command: 'printf x' }), say('Done.'))
    const ada = stage.guest(name)
    ada.say('odd name')
    const card = await cardOf(ada.chat)
    expect(card.text.match(/❯/g)).toHaveLength(1)
    expect(card.text).toContain('<b>da</b>')
    expect(card.text).not.toMatch(/[\u202e\u200b]/)
    expect(card.text.split('\n')[0]).toContain("'s agent wants to run a command:")
    expect(card.entities.map(({ type }) => type)).not.toContain('mention')
    ada.tap(card, 'Approve')
    await untilReads(ada.chat, card, /Approved by A.*→ exit 0/)
  })

  test('CHAT-04 LOOP-14 /stop in the middle of an answer leaves nothing of it behind', async () => {
    const scene = stage.scenes.on('endless', async ({ onText, signal }) => {
      for (let index = 0; ; index += 1) {
        onText?.(`part ${index} `)
        await delay(50, undefined, { signal })
      }
    })
    const ada = stage.guest()
    ada.say('endless')
    await ada.chat.waitForText('part 1')
    ada.say('/stop')
    await ada.chat.waitForText('Stopped by Ada')
    await stage.flow.settled(ada.id)
    await ada.chat.waitForMessage(() => wordsOf(ada.chat).length === 1)
    expect(wordsOf(ada.chat)).toEqual([expect.stringMatching(/^Stopped by Ada(?: \(@\w+\))?\.$/)])
    expect(scene.requests).toHaveLength(1)
  })

  test('OUT-09 CHAT-03 CHAT-06 /output gives long output in order, over several messages', async () => {
    const command = 'seq -f "line %05g" 1 1500'
    stage.scenes.on('print much', call('bash', { command }), say('Printed.'))
    const ada = stage.guest()
    ada.say('print much')
    ada.tap(await cardOf(ada.chat), 'Approve')
    await ada.chat.waitForText('Printed.')
    ada.say('/output 1')
    await ada.chat.waitForMessage(
      ({ text }) => !text.startsWith('❯') && text.includes('line 01500'),
    )
    await stage.flow.settled(ada.id)
    const text = wordsOf(ada.chat).join('\n')
    const found = [...text.matchAll(/line (\d{5})/g)].map(([, number]) => Number(number))
    expect(found.length).toBeGreaterThan(500)
    expect(found).toEqual(found.toSorted((a, b) => a - b))
  })

  test('APPR-04 INT-24 Always on one card leaves another one denied that waits for its reason', async () => {
    const scene = stage.scenes.on(
      'always and deny',
      calls([
        toRequest('bash', { command: 'touch kept' }),
        toRequest('bash', { command: 'touch denied' }),
      ]),
      say('One of two.'),
    )
    const ada = stage.guest()
    ada.say('always and deny')
    const first = await cardOf(ada.chat, 1)
    const second = await cardOf(ada.chat, 2)
    ada.tap(second, 'Deny')
    await untilReads(ada.chat, second, /or tap Just deny/)
    await tapAlways(ada, first)
    await untilReads(ada.chat, first, /→ exit 0/)
    ada.tap(second, 'Just deny')
    await ada.chat.waitForText('One of two.')
    await stage.flow.settled(ada.id)
    expect(storyOf(ada.chat, second)).toEqual(['waiting', 'denying', 'denied'])
    expect(scene.lastHeard()).toContain('rejected by user')
  })

  test('LOOP-04 LOOP-03 ten chats at once each get their own card and their own answer', async () => {
    const guests = Array.from({ length: 10 }, () => stage.guest())
    for (const [index, { say: write }] of guests.entries()) {
      const opening = `chat number ${index}.`
      stage.scenes.on(opening, call('bash', { command: `echo ${index}` }), say(`Answer ${index}.`))
      write(opening)
    }
    for (const [index, guest] of guests.entries()) {
      const card = await cardOf(guest.chat)
      expect(card.text).toContain(`echo ${index}\n`)
      guest.tap(card, 'Approve')
    }
    for (const [index, guest] of guests.entries()) {
      await guest.chat.waitForText(`Answer ${index}.`)
      await stage.flow.settled(guest.id)
      expect(wordsOf(guest.chat)).toEqual([`Answer ${index}.`])
    }
  })
})
