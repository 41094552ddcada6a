import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import {
  cardOf,
  inOrder,
  openStage,
  type Stage,
  shown,
  storyOf,
  untilReads,
  wordsOf,
} from './stage.ts'

describe('the main job through Telegram', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-01 APPR-02 APPR-03 APPR-05 APPR-13 TG-02 TG-06 a message leads to a card, a tap to the command, its end to the card and the answer', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on(
      'make it',
      call('bash', { command: 'touch made.txt && ls made.txt' }),
      say('It is **made**.'),
    )
    const ada = stage.guest()
    ada.say('make it')
    const card = await cardOf(ada.chat)
    expect(card.text).toMatch(/^❯ Ada(?: \(@\w+\))?'s agent wants to run a command:\n/)
    expect(card.text).toContain('\ntouch made.txt && ls made.txt\n')
    expect(card.text).toMatch(/\nWhy it asks\n• bash "touch made.txt": .*ask\n/)
    expect(card.text).toMatch(/\nAlways would allow[\s\S]*touch/)
    expect(card.text).toMatch(/\nWho may answer Ada(?: \(@\w+\))? or an approver\n/)
    expect(card.text).toMatch(
      /\nUntil \d+ [A-Z][a-z]+ (?:\d{4} )?\d\d:\d\d UTC, then it is denied\n/,
    )
    expect(card.buttons.map((row) => row.map(({ text }) => text))).toEqual([
      ['Approve', 'Always…', 'Deny'],
      ['Edit', 'Copy'],
    ])
    const copy = { text: 'Copy', copy_text: { text: 'touch made.txt && ls made.txt' } }
    for (const button of card.buttons.flat()) {
      if ('callback_data' in button) expect(button.callback_data).toMatch(/^[\w-]{22}$/)
      else expect(button).toEqual(copy)
    }
    const tap = ada.tap(card, 'Approve')
    expect(await tap.answered).toMatchObject({ text: 'Approved.', show_alert: false })
    await ada.chat.waitForText('It is made.')
    await flow.settled(ada.id)
    const done = shown(ada.chat, card)
    expect(done.text).toMatch(
      /✅ Approved by Ada(?: \(@\w+\))?, (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC → exit 0 \(\d+\.\d s\)(?:\n|$)/,
    )
    expect(done.buttons).toEqual([])
    expect(done.text).toContain('touch made.txt')
    expect(storyOf(ada.chat, card)).toEqual(inOrder(storyOf(ada.chat, card)))
    expect(wordsOf(ada.chat)).toEqual(['It is made.'])
    expect(scene.lastHeard()).toContain('made.txt')
  })

  test('APPR-13 APPR-05 a command that fails tells its exit code on the card, and the model', async () => {
    const { flow, scenes } = stage
    const command = 'echo before; echo oh >&2; exit 3'
    const scene = scenes.on('fail', call('bash', { command }), say('It failed.'))
    const ada = stage.guest()
    ada.say('fail')
    const card = await cardOf(ada.chat)
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('It failed.')
    await flow.settled(ada.id)
    expect(shown(ada.chat, card).text).toMatch(
      /❌ Approved by Ada(?: \(@\w+\))?, .* → failed: exit 3 \(/,
    )
    expect(storyOf(ada.chat, card)).toEqual(inOrder(storyOf(ada.chat, card)))
    expect(scene.lastHeard()).toMatch(/before[\s\S]*3/)
  })

  test('APPR-13 APPR-05 a command that takes too long is ended, and the card says so', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on(
      'too long',
      call('bash', { command: 'echo begun; sleep 60', timeout: 1 }),
      say('It took too long.'),
    )
    const ada = stage.guest()
    ada.say('too long')
    const card = await cardOf(ada.chat)
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('It took too long.')
    await flow.settled(ada.id)
    expect(shown(ada.chat, card).text).toMatch(
      /❌ Approved by Ada(?: \(@\w+\))?, .* → failed: it took too long \(/,
    )
    expect(storyOf(ada.chat, card)).toEqual(inOrder(storyOf(ada.chat, card)))
    expect(scene.lastHeard()).toContain('category: timeout')
  })

  test('APPR-13 LOOP-14 CHAT-03 a command that /stop cancels says so on its card, and there is no answer', async () => {
    const { flow, scenes } = stage
    scenes.on('for ever', call('bash', { command: 'echo begun; sleep 300' }), say('never'))
    const ada = stage.guest()
    ada.say('for ever')
    const card = await cardOf(ada.chat)
    ada.tap(card, 'Approve')
    await untilReads(ada.chat, card, /→ running/)
    ada.say('/stop')
    await ada.chat.waitForText('Stopped by Ada')
    await untilReads(ada.chat, card, /→ cancelled/)
    await flow.settled(ada.id)
    expect(storyOf(ada.chat, card).at(-1)).toBe('finished')
    expect(wordsOf(ada.chat).filter((text) => text.includes('never'))).toEqual([])
  })

  test('APPR-10 DECISION-2 several calls give one card each, and they run in their order whatever the order of taps', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on(
      'two steps',
      calls([
        toRequest('bash', { command: 'echo one >> order.txt' }),
        toRequest('bash', { command: 'echo two >> order.txt; cat order.txt' }),
      ]),
      say('Both.'),
    )
    const ada = stage.guest()
    ada.say('two steps')
    const first = await cardOf(ada.chat, 1)
    const second = await cardOf(ada.chat, 2)
    expect(await ada.tap(second, 'Approve').answered).toMatchObject({ text: 'Approved.' })
    await untilReads(ada.chat, second, /✅ Approved by Ada/)
    expect(storyOf(ada.chat, first)).toEqual(['waiting'])
    ada.tap(first, 'Approve')
    await ada.chat.waitForText('Both.')
    await flow.settled(ada.id)
    expect(scene.lastHeard()).toMatch(/one\ntwo/)
    expect(storyOf(ada.chat, first).at(-1)).toBe('finished')
    expect(storyOf(ada.chat, second).at(-1)).toBe('finished')
  })
})

test('CARD-06 in German, a message leads to a card, a tap to the command, and its end to the card', async () => {
  await using stage = await openStage({ settings: { COUNTERSIGN_CHAT_LANGUAGE: 'de' } })
  stage.scenes.on('mach es', call('bash', { command: 'touch made.txt' }), say('Fertig.'))
  const ada = stage.guest()
  ada.say('mach es')
  const what = { what: 'the card in German' }
  const card = await ada.chat.waitForMessage(({ buttons }) => buttons.length > 0, what)
  expect(card.text).toMatch(/^❯ Der Agent von Ada(?: \(@\w+\))? möchte einen Befehl ausführen:\n/)
  expect(card.text).toContain('\nWartet auf eine Antwort.\n')
  expect(card.text).toMatch(/\nBis .* UTC, dann wird abgelehnt\n/)
  const tap = ada.tap(card, 'Genehmigen')
  expect(await tap.answered).toMatchObject({ text: 'Genehmigt.', show_alert: false })
  await ada.chat.waitForText('Fertig.')
  await stage.flow.settled(ada.id)
  expect(shown(ada.chat, card).text).toMatch(/✅ Genehmigt von Ada(?: \(@\w+\))?, .* → Exit 0 \(/)
})
