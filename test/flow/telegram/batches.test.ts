import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, say, toRequest } from '../../support/scripted-model.ts'
import { labels, openStage, type Stage, shown, untilReads } from './stage.ts'

const prints = (count: number, more = '') =>
  calls(
    Array.from({ length: count }, (_, index) =>
      toRequest('bash', { command: `printf ${index + 1}${more}` }),
    ),
  )

describe('several questions on one card', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-20 APPR-10 APPR-05 one tap approves all, the card tells what became of each, and its buttons go', async () => {
    const ada = stage.guest()
    const scene = stage.scenes.on('print six', prints(6), say('Printed.'))
    ada.say('print six')
    const card = await ada.chat.waitForText('Approvals 1 to 6')
    expect(labels(card)).toEqual(['Approve all 6', 'One by one', 'Deny all'])
    for (const number of [1, 2, 3, 4, 5, 6]) expect(card.text).toContain(`printf ${number}`)
    const { answered } = ada.tap(card, 'Approve all 6')
    expect(await answered).toMatchObject({ text: '1–6: Approved.' })
    await ada.chat.waitForText('Printed.')
    await stage.flow.settled(ada.id)
    const after = shown(ada.chat, card)
    expect(after.text.match(/exit 0/g)).toHaveLength(6)
    expect(after.text).toContain('All are answered.')
    expect(labels(after)).toEqual([])
    expect(ada.chat.botMessages().filter(({ text }) => text.startsWith('❯'))).toHaveLength(1)
    expect(scene.lastHeard()).toContain('6')
  })

  test('APPR-20 APPR-15 one by one each question has its own card with all its buttons; both are kept true', async () => {
    const ada = stage.guest()
    stage.scenes.on('print one by one', prints(6), say('Printed one by one.'))
    ada.say('print one by one')
    const batch = await ada.chat.waitForText('Approvals 1 to 6')
    await ada.tap(batch, 'One by one').answered
    const third = await ada.chat.waitForText('Approval 3 ·')
    await ada.chat.waitForText('Approval 6 ·')
    expect(labels(third)).toContain('Always: printf *')
    await ada.tap(third, 'Approve').answered
    await untilReads(ada.chat, batch, /5 of 6 wait for an answer\./)
    expect(labels(shown(ada.chat, batch))).toContain('Approve all 5')
    await ada.tap(batch, 'Deny all').answered
    await ada.chat.waitForText('Printed one by one.')
    await stage.flow.settled(ada.id)
    expect(shown(ada.chat, third).text).toContain('exit 0')
    expect(shown(ada.chat, batch).text.match(/🚫 Denied by Ada/gu)).toHaveLength(5)
  })

  test('APPR-16 where a message has no room for all of them the file has it, and it goes before the card', async () => {
    const ada = stage.guest()
    stage.scenes.on('print much', prints(8, ` ${'very '.repeat(80)}`), say('Printed much.'))
    ada.say('print much')
    const card = await ada.chat.waitForMessage(
      ({ text, buttons }) => text.includes('Approvals 1 to 8') && buttons.length > 0,
    )
    expect(card.text).toContain('approvals-1-8.txt')
    expect(labels(card)).toContain('Approve all 8')
    const [file] = ada.chat.botMessages().filter(({ document }) => document !== undefined)
    expect(file?.id).toBeLessThan(card.id)
    await ada.tap(card, 'Deny all').answered
    await ada.chat.waitForText('Printed much.')
  })
})
