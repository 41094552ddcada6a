import { expect, test } from 'vitest'
import { createFlow } from '../support/flow.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'

const look = () => ({ ...toRequest('list_directory', { path: '.' }), inText: true as const })
const textOnly = { nativeTools: false }

test('MODEL-02 the first call that stood in a text asks even where rules allow it, later ones of the session do not', async () => {
  const answers = [calls([look()], 'I look.\n\n```json\n…\n```'), calls([look()]), say('Looked.')]
  const model = createScriptedModel([...answers, calls([look()]), say('Again.')], textOnly)
  await using flow = await createFlow({ model })
  await flow.say('go')
  const approval = await flow.db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
  expect(approval.state).toBe('pending')
  const { verdict } = await flow.db
    .selectFrom('tool_call')
    .select('verdict')
    .executeTakeFirstOrThrow()
  expect(JSON.parse(verdict)).toMatchObject({
    action: 'ask',
    alwaysPatterns: [],
    reasons: ['the first call in this session that the model wrote as text'],
  })
  await flow.decide({ kind: 'approve' })
  expect(flow.platform.answers()).toEqual(['Looked.'])
  await flow.say('/clear')
  await flow.say('more')
  const states = flow.db.selectFrom('approval').select('state').orderBy('state')
  expect(await states.execute()).toEqual([{ state: 'approved' }, { state: 'pending' }])
})

test('MODEL-02 a denial leaves the next one asking', async () => {
  const model = createScriptedModel([calls([look()]), calls([look()]), say('Then not.')], textOnly)
  await using flow = await createFlow({ model })
  await flow.say('go')
  await flow.decide({ kind: 'deny' })
  expect(await flow.db.selectFrom('approval').select('state').execute()).toEqual([
    { state: 'denied' },
    { state: 'pending' },
  ])
})

test('MODEL-02 what a native model calls is not held up', async () => {
  const model = createScriptedModel([call('list_directory', { path: '.' }), say('Looked.')])
  await using flow = await createFlow({ model })
  await flow.say('go')
  expect(flow.platform.answers()).toEqual(['Looked.'])
})
