import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import { cardOf, labels, openStage, type Stage, shown, untilReads } from './stage.ts'

const prints = (count: number, more = '') =>
  calls(
    Array.from({ length: count }, (_, index) =>
      toRequest('bash', { command: `printf ${index + 1}${more}` }),
    ),
  )

const script = Array.from({ length: 20 }, (_, line) => `echo begin-${line}`).join('\n')
const command = `${script}\nseq -f 'a line of output, number %g' 1 160`

describe('cards of several questions, changed ones and long ones', () => {
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

  test('APPR-14 after Edit a reply to the card is the command that runs, and the model is told', async () => {
    const ada = stage.guest()
    const scene = stage.scenes.on('say hi', call('bash', { command: 'printf hi' }), say('Said.'))
    ada.say('say hi')
    const card = await cardOf(ada.chat)
    expect(labels(card)).toContain('Edit')
    expect(await ada.tap(card, 'Edit').answered).toMatchObject({
      text: 'Reply to the card within 10 minutes with the new command.',
    })
    expect(labels(shown(ada.chat, card))).toContain('Approve')
    ada.say('/usr/bin/printf "good day"', { replyTo: card.id })
    await ada.chat.waitForText('Said.')
    await stage.flow.settled(ada.id)
    expect(shown(ada.chat, card).text).toContain('changed by Ada')
    expect(labels(shown(ada.chat, card))).toEqual([])
    const next = await ada.chat.waitForText('Approval 2')
    await untilReads(ada.chat, next, /exit 0/)
    const told = ada.chat.history.map(({ message }) => message.text).join('\n')
    expect(told).toContain('the model asked for: printf hi')
    expect(scene.lastHeard()).toContain('A person changed this call')
    expect(scene.lastHeard()).toContain('good day')
  })

  test('APPR-14 DECISION-17 without Edit, or by somebody else, a reply to a card is a message and changes nothing', async () => {
    const ada = stage.guest()
    stage.scenes.on('wait for it', call('bash', { command: 'printf wait' }), say('Done.'))
    ada.say('wait for it')
    const card = await cardOf(ada.chat)
    ada.say('printf other', { replyTo: card.id })
    await ada.chat.waitForText('Noted')
    expect(labels(shown(ada.chat, card))).toContain('Approve')
    expect(shown(ada.chat, card).text).toContain('printf wait')
  })

  test('TG-06 OUT-10 APPR-02 a long command stands open until it is answered, and its long output is one message that unfolds', async () => {
    stage.scenes.on('print much', call('bash', { command }), say('Printed.'))
    const ada = stage.guest()
    ada.say('print much')
    const card = await cardOf(ada.chat)
    expect(card.html).toMatch(/<pre>[\s\S]*<\/pre>[\s\S]*<blockquote expandable>/)
    expect(card.html?.match(/expandable/g)).toHaveLength(1)
    // Several lines are not offered to be pasted into a terminal.
    expect(card.buttons.flat().map(({ text }) => text)).not.toContain('Copy command')
    ada.tap(card, 'Approve')
    await untilReads(ada.chat, card, /→ exit 0/)
    expect(shown(ada.chat, card).html).toContain('<blockquote expandable><code>echo begin-0\n')
    await ada.chat.waitForText('Printed.')
    ada.say('/output 1 all')
    const output = await ada.chat.waitForText('Call 1, bash')
    expect(output.rich?.at(-1)).toMatchObject({
      type: 'details',
      blocks: [{ type: 'pre', text: expect.stringContaining('number 160') }],
    })
    await stage.flow.settled(ada.id)
    expect(ada.chat.botMessages().at(-1)?.id).toBe(output.id)
  })
})
