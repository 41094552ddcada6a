import { expect, test } from 'vitest'
import { createFlow } from '../support/flow.ts'
import { calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'

test('APPR-15 APPR-07 five more by a command: what waits resolves, the next ones run, /revoke ends it, the card told for how long', async () => {
  const count = (name: string) => toRequest('bash', { command: `wc -c ${name}` })
  const model = createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'tool' ? say('ok') : calls([count('a'), count('b')]),
  )
  await using flow = await createFlow({ model })
  await flow.say('count')
  await flow.say('/always 1 5x')
  const [first, second] = flow.platform.cards()
  expect(first?.status).toMatchObject({ kind: 'finished', by: 'Ada', life: '5x' })
  expect(second?.status).toMatchObject({ kind: 'finished', by: 'a rule' })
  await flow.say('again')
  expect(flow.platform.cards()).toHaveLength(2)
  await flow.say('/grants')
  expect(flow.platform.texts().at(-1)).toMatch(/1 {2}bash {2}wc \*\n {4}2 uses left; by Ada/)
  await flow.say('/revoke 1')
  await flow.say('and again')
  expect(flow.platform.cards()).toHaveLength(4)
  expect(flow.platform.answers()).toEqual(['ok', 'ok'])
})
