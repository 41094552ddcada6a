import { expect, test } from 'vitest'
import { createFlow } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

test('OUT-02 OUT-03 OUT-06 a command’s output is filtered for the model, which can read the whole of it', async () => {
  const id = { value: '' }
  const command = 'mkdir many && cd many && touch $(seq 1000 1299) && ls 2>&1 | cat'
  const model = createScriptedModel((request) => {
    const last = request.messages.at(-1)
    if (last?.role !== 'tool') {
      return last?.role === 'user' && last.text === 'back'
        ? call('read_overflow', { id: id.value, offset: 149, limit: 1 })
        : call('bash', { command })
    }
    id.value = /overflow:[0-9a-f-]{36}/.exec(last.text)?.[0] ?? id.value
    return say(last.text)
  })
  await using flow = await createFlow({ model })
  await flow.say('go')
  await flow.decide({ kind: 'approve' })
  const shown = flow.platform.answers().at(-1) ?? ''
  expect(shown).toContain('1099\n[… 170 lines left out …]\n1270')
  expect(shown).toMatch(/\[filtered: 131 of 300 lines; all of them with overflow:[0-9a-f-]{36}\]$/)
  await flow.say('back')
  expect(flow.platform.answers().at(-1)).toContain('1149')
  await flow.say('/output 1')
  expect(flow.platform.texts().at(-1)).toContain('[shell] 300 lines -> 131 lines, 56.3% filtered')
  await flow.say('/status')
  expect(flow.platform.texts().at(-1)).toContain('Output filters (full/partial/fallback): 0/1/0')
})
