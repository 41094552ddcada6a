import { expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, openStage, shown, untilReads } from './stage.ts'

const script = Array.from({ length: 20 }, (_, line) => `echo begin-${line}`).join('\n')
const command = `${script}\nseq -f 'a line of output, number %g' 1 160`

test('TG-06 OUT-10 APPR-02 a long command stands open until it is answered, and its long output is one message that unfolds', async () => {
  await using stage = await openStage()
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
