import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ModelError } from '../../src/ports/model.ts'
import { ada, bob, createFlow, type Flow, until } from '../support/flow.ts'
import { call, calls, createScriptedModel, type Scripted, say } from '../support/scripted-model.ts'

const busy = new ModelError('rate_limited', 'The provider asks to slow down (429).')
const down = new ModelError('unreachable', 'The provider failed on its side (503).')
const cut = new ModelError('broken', 'Cut off in the middle.', { isRetryable: true })
const refused = new ModelError('refused', 'The key was refused (401).')
const noRetry = { COUNTERSIGN_MODEL_RETRY_BUDGET: '0' }

function asks(flow: Flow) {
  return flow.db
    .selectFrom('usage')
    .select(['step', 'state', 'model'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

function later(retryAfterMs: number): ModelError {
  return new ModelError('rate_limited', 'Slow down.', { retryAfterMs })
}

const roles = (model: { requests: readonly { messages: readonly { role: string }[] }[] }) =>
  model.requests.at(-1)?.messages.map(({ role }) => role)

test('MODEL-04 429, 5xx and a lost connection are tried again, as the same step, and nobody is told', async () => {
  const model = createScriptedModel([
    busy,
    down,
    cut,
    call('list_directory', { path: '.' }),
    busy,
    say('Here.'),
  ])
  await using flow = await createFlow({ model })
  await flow.say('go')
  expect(flow.platform.texts()).toEqual(['Here.'])
  const states = (await asks(flow)).map(({ step, state }) => `${step} ${state}`)
  expect(states).toEqual(['1 failed', '1 failed', '1 failed', '1 done', '2 failed', '2 done'])
  expect(roles(model)).toEqual(['user', 'assistant', 'tool'])
})

test('MODEL-04 nobody waits for the next try in memory: killed before it, another process makes it', async () => {
  const before = createScriptedModel([later(30_000)])
  const first = await createFlow({ model: before })
  await using _database = first.database
  await first.act({ kind: 'message', text: 'go' })
  const turn = () => first.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
  await until('it waits', async () => (await turn()).model_failures === 1)
  expect(await turn()).toMatchObject({ state: 'thinking', lease_owner: null })
  await first.product[Symbol.asyncDispose]()
  // As if the wait were over now: the first process must not come to it, however long it takes to end.
  await first.db
    .updateTable('turn')
    .set({ next_due: sql<Date>`now() - interval '1 minute'` })
    .execute()
  const after = createScriptedModel([say('After all.')])
  await using second = await createFlow({ model: after, over: first })
  await second.quiet()
  expect(second.platform.answers()).toEqual(['After all.'])
  expect(before.requests).toHaveLength(1)
})

test('MODEL-04 when the budget is used up the person reads why, and /retry goes on with what was written', async () => {
  const script: Scripted[] = [later(3_600_000), say('Now it works.')]
  const model = createScriptedModel(script)
  await using flow = await createFlow({ model })
  await flow.say('go')
  expect(flow.platform.texts()).toEqual([
    'This did not work: Slow down. Your message is kept: /retry tries again.',
  ])
  await flow.say('/retry', bob)
  expect(flow.platform.texts().at(-1)).toBe('Only the person whose turn it was may try it again.')
  await flow.say('/retry')
  expect(flow.platform.answers()).toEqual(['Now it works.'])
  expect(roles(model)).toEqual(['user'])
  await flow.say('/retry')
  expect(flow.platform.texts().at(-1)).toBe('There is nothing to try again.')
  const turns = await flow.db.selectFrom('turn').select(['caller_id', 'state']).execute()
  expect(turns).toEqual([
    { caller_id: ada.id, state: 'failed' },
    { caller_id: ada.id, state: 'done' },
  ])
})

test('MODEL-04 /retry after /stop goes on after what was done, and only once', async () => {
  const model = createScriptedModel([call('bash', { command: 'true' }), say('Gone on.')])
  await using flow = await createFlow({ model })
  await flow.say('go')
  await flow.say('/retry')
  expect(flow.platform.texts().at(-1)).toBe('A turn is in progress; /stop ends it.')
  await flow.say('/stop')
  await flow.say('/retry')
  expect(flow.platform.answers()).toEqual(['Gone on.'])
  expect(roles(model)).toEqual(['user', 'assistant', 'tool'])
})

test('MODEL-04 LOOP-14 /stop ends a turn that waits for its next try', async () => {
  const model = createScriptedModel([later(30_000), say('never')])
  await using flow = await createFlow({ model })
  await flow.act({ kind: 'message', text: 'go' })
  const failures = async () =>
    (await flow.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()).model_failures
  await until('it waits', async () => (await failures()) === 1)
  await flow.say('/stop')
  expect(flow.platform.texts()).toEqual(['Stopped by Ada.'])
  expect(model.requests).toHaveLength(1)
})

test('MODEL-04 the second model takes over for the turn, says so once, and the next turn is the first one’s again', async () => {
  const model = createScriptedModel([down, say('I am back.')])
  const fallback = {
    ...createScriptedModel([call('list_directory', { path: '.' }), say('From the second.')]),
    name: 'second',
  }
  await using flow = await createFlow({ model, fallback, settings: noRetry })
  await flow.say('go')
  expect(flow.platform.texts()).toEqual([
    'The provider failed on its side (503). second continues this turn.',
    'From the second.',
  ])
  await flow.say('again')
  expect(flow.platform.answers().at(-1)).toBe('I am back.')
  const names = (await asks(flow)).map(({ model: name, state }) => `${name} ${state}`)
  expect(names).toEqual(['scripted failed', 'second done', 'second done', 'scripted done'])
  const authors = await flow.db
    .selectFrom('message')
    .select('author')
    .where('role', '=', 'assistant')
    .orderBy('position')
    .execute()
  expect(authors.map(({ author }) => author)).toEqual(['second', 'second', 'scripted'])
})

test('MODEL-04 a refusal goes to the second model at once; when that fails too, the person reads it', async () => {
  const model = createScriptedModel([refused])
  const fallback = { ...createScriptedModel([refused]), name: 'second' }
  await using flow = await createFlow({ model, fallback })
  await flow.say('go')
  expect(flow.platform.texts()).toEqual([
    'The key was refused (401). second continues this turn.',
    'This did not work: The key was refused (401). Your message is kept: /retry tries again.',
  ])
  expect(model.requests).toHaveLength(1)
})

test('MODEL-08 a call that was cut is told as cut and asks nobody; written in parts it goes on, and cards show the append', async () => {
  const half = { id: 'half', tool: 'write', arguments: '{"path":"a.txt","content":"on', cutAt: 512 }
  const nameless = { id: 'none', tool: 'unnamed', arguments: '{}' }
  const model = createScriptedModel([
    calls([half, nameless]),
    call('write', { path: '.envrc', content: 'one\n' }),
    call('write', { path: '.envrc', content: 'two\n', append: true }),
    call('read', { path: '.envrc' }),
    say('Done.'),
  ])
  await using flow = await createFlow({ model })
  await flow.say('go')
  const told = model.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? [one.text] : []))
  expect(told?.[0]).toMatch(
    /error: your answer was cut at 512 tokens.*write it in parts.*append: true/,
  )
  expect(told?.[0]).not.toContain('JSON')
  expect(told?.[1]).toMatch(/category: tool_not_found\nerror: the call names no tool\n/)
  expect(flow.platform.cards()).toHaveLength(1)
  await flow.decide({ kind: 'approve' })
  const card = flow.platform.cards()[1]
  expect(card?.what).toMatch(/ one\n\+two/)
  await flow.decide({ kind: 'approve' })
  const results = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')
  expect(JSON.stringify(results?.at(-1))).toMatch(/1\\tone\\n.*2\\ttwo/)
})
