import { expect, test } from 'vitest'
import { createBenchContext } from '../../support/bench-context.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

test('CHAT-09 /context shows what the model has: prompt, turns and messages in full, tools; nothing before the first turn', async () => {
  await using bench = await createBenchContext(createScriptedModel(() => say('done')))
  await bench.say('/context')
  expect((await bench.notices()).at(-1)).toMatch(/has not been asked yet\n.*0 turns, 0 messages/)
  await bench.say('hello')
  await bench.step()
  await bench.say('/context')
  const told = (await bench.notices()).at(-1) ?? ''
  expect(told).toMatch(/^Prompt: [\d,]+ (?:bytes|tokens) .*\n.*1 turn, 2 messages/)
  await bench.say('/clear')
  await bench.say('/context')
  expect((await bench.notices()).at(-1)).toMatch(/0 turns, 0 messages/)
})
