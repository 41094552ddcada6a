import { expect, test } from 'vitest'
import { saveAgent } from '../../src/db/worker/agents.ts'
import { ModelError } from '../../src/ports/model.ts'
import { newId } from '../../src/util/ids.ts'
import { createFlow, type Flow } from '../support/flow.ts'
import { createScriptedModel, say } from '../support/scripted-model.ts'

const named = (name: string, words: string) => ({
  ...createScriptedModel(() => say(words)),
  name,
})

function openFlow() {
  const small = named('small-1', 'From the small one.')
  const large = named('large-1', 'From the large one.')
  const choices = new Map([
    ['small', small],
    ['large', large],
  ])
  return createFlow({ model: named('main-1', 'From the main one.'), fallback: large, choices })
}

const told = (flow: Flow) => flow.platform.texts().at(-1)

const models = async ({ db }: Flow) =>
  (await db.selectFrom('usage').select('model').orderBy('created_at').execute()).map(
    ({ model }) => model,
  )

test('CHAT-03 /model tells which model answers and which others there are, and chooses one for the session, until /clear', async () => {
  await using flow = await openFlow()
  await flow.say('/model')
  expect(told(flow)).toBe(
    'Model: offline main-1, then offline large-1\nOthers: small (offline small-1), large (offline large-1)\n/model and a name chooses one for this session.',
  )
  await flow.say('/model small')
  expect(told(flow)).toMatch(/^From its next step on small \(offline small-1\) answers here/)
  await flow.say('hello')
  expect(told(flow)).toBe('From the small one.')
  await flow.say('/status')
  expect(told(flow)).toContain('Model: small (offline small-1)')
  await flow.say('/model')
  expect(told(flow)).toMatch(
    /^Model: small \(offline small-1\), chosen by \/model\n.*default \(off/,
  )
  await flow.say('/model default')
  await flow.say('hello')
  expect(told(flow)).toBe('From the main one.')
  await flow.say('/model large')
  await flow.say('/clear')
  await flow.say('hello')
  expect(await models(flow)).toEqual(['small-1', 'main-1', 'main-1'])
  const { rows } = await flow.database.pool.query(
    `select audit_body(body) ->> 'note' as note from audit_log where kind = 'command' order by id`,
  )
  expect(rows.map(({ note }) => note)).toEqual([
    '/model small',
    '/model default',
    '/model large',
    '/clear',
  ])
})

test('CHAT-03 a model of no such name, or that one agent does not have, is not chosen', async () => {
  await using flow = await openFlow()
  for (const name of ['huge', 'small please', 'SMALL', '__proto__']) {
    await flow.say(`/model ${name}`)
    expect(told(flow)).toMatch(/^There is no such model\.\nModel: offline main-1/)
  }
  const rules = { worker: 'default', path: '', sha256: '' }
  const other = { id: newId(), model: 'm', warnings: [], liveKey: '', host: 'there', rules }
  await saveAgent(flow.db, { ...other, models: [{ name: 'large', about: 'offline large-1' }] })
  await flow.say('/model small')
  expect(told(flow)).toMatch(/^There is no such model\./)
  await flow.say('hello')
  expect(await models(flow)).toEqual(['main-1'])
})

test('CHAT-03 MODEL-04 a chosen model that fails for good is followed by the second one, unless it is that one', async () => {
  const refused = new ModelError('refused', 'The key was refused (401).')
  const broken = { ...createScriptedModel(() => refused), name: 'broken-1' }
  const second = named('second-1', 'From the second one.')
  const choices = new Map([
    ['broken', broken],
    ['second', second],
  ])
  await using flow = await createFlow({ model: named('main-1', 'x'), fallback: second, choices })
  await flow.say('/model broken')
  await flow.say('hello')
  expect(await models(flow)).toEqual(['broken-1', 'second-1'])
  expect(told(flow)).toBe('From the second one.')
})
