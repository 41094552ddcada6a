import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { auditRows } from '../support/audit-rows.ts'
import { ada, bob, createFlow, type Flow, olga } from '../support/flow.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'

const dayMs = 86_400_000
const untilTomorrowMs = () => dayMs - (Date.now() % dayMs)

// Budgets begin anew at midnight (UTC): a test that is under way then would find them empty.
beforeEach(async () => {
  if (untilTomorrowMs() < 60_000) await delay(untilTomorrowMs())
})

// Each answer of the scripted model is 110 tokens.
const tokens = (perDay: number, whose = 'CALLER') => ({
  [`COUNTERSIGN_BUDGETS_${whose}_TOKENS_PER_DAY`]: String(perDay),
})
const toolCalls = (perDay: number, whose = 'CALLER') => ({
  [`COUNTERSIGN_BUDGETS_${whose}_TOOL_CALLS_PER_DAY`]: String(perDay),
})
const look = () => toRequest('list_directory', { path: '.' })
const last = (flow: Flow) => flow.platform.texts().at(-1)

test('LOOP-15 at 80 % of a budget the person is told once, at its end the turn ends, and nothing is asked of the model', async () => {
  const model = createScriptedModel([say('answered')])
  await using flow = await createFlow({ model, settings: tokens(330) })
  for (const text of ['one', 'two', 'three']) await flow.say(text)
  expect(flow.platform.texts()).toEqual(['answered', 'answered', 'answered'])
  await flow.say('four')
  expect(last(flow)).toBe(
    'This did not work: the budget of 330 tokens a day for Ada is used up (330 of 330 tokens). It is reset at 00:00 UTC; an operator can lift it for today with /budget lift. Your message is kept: /retry tries again.',
  )
  expect(model.requests).toHaveLength(3)
  await flow.say('hello?', bob)
  expect(last(flow)).toBe('answered')
  await flow.say('/clear')
  await flow.say('five')
  expect(last(flow)).toContain('is used up')
})

test('LOOP-15 the warning comes once a day, with what was used', async () => {
  const model = createScriptedModel([say('answered')])
  await using flow = await createFlow({ model, settings: tokens(260) })
  for (const text of ['one', 'two', 'three']) await flow.say(text)
  expect(flow.platform.texts()).toEqual([
    'answered',
    'answered',
    'Of the budget of 260 tokens a day for Ada, 220 of 260 tokens are used.',
    'answered',
  ])
})

test('LOOP-15 an operator lifts a budget for the day, which is audited; /retry goes on; /status and /budget show it', async () => {
  const model = createScriptedModel([say('answered')])
  const settings = { ...tokens(100), ...tokens(100, 'SESSION') }
  await using flow = await createFlow({ model, settings })
  await flow.say('one')
  await flow.say('two')
  expect(last(flow)).toContain('is used up')
  await flow.say('/budget lift')
  expect(last(flow)).toBe('Only an operator may lift a budget.')
  await flow.say('/budget lift', olga)
  expect(last(flow)).toBe(
    'Lifted until 00:00 UTC for Ada and this session. /retry continues a turn that ended.',
  )
  await flow.say('/retry')
  expect(last(flow)).toBe('answered')
  await flow.say('/budget')
  expect(last(flow)).toBe(
    'Budget today, Ada: 220 of 100 tokens (lifted for today by Olga)\nBudget today, this session: 220 of 100 tokens (lifted for today by Olga)',
  )
  await flow.say('/status')
  expect(last(flow)).toContain('Budget today, Ada: 220 of 100 tokens (lifted')
  const audited = (await auditRows(flow.db))
    .filter((row) => row.kind === 'command')
    .map(({ caller_id, body }) => ({ caller_id, body }))
  const lifts = audited.filter(({ body }) => body.includes('/budget lift'))
  expect(lifts).toEqual([
    { caller_id: olga.id, body: expect.stringContaining(`caller:${ada.id}, session:`) },
  ])
})

test('LOOP-15 a batch that a budget of tool calls has no room for is not run at all; what never ran is given back', async () => {
  const model = createScriptedModel([
    calls([look(), look()]),
    say('two'),
    call('bash', { command: 'true' }),
    say('denied'),
    calls([look(), look()]),
    say('too many'),
    call('list_directory', { path: '.' }),
    say('one'),
  ])
  await using flow = await createFlow({ model, settings: toolCalls(3) })
  await flow.say('go')
  await flow.say('risky')
  await flow.decide({ kind: 'deny' })
  await flow.say('more')
  expect(flow.platform.texts().at(-2)).toMatch(
    /^The tool calls were not run: the budget of 3 tool calls a day for Ada is used up \(2 of 3 tool calls\)\./,
  )
  const results = model.requests[5]?.messages.flatMap((one) => (one.role === 'tool' ? [one] : []))
  for (const { text } of results?.slice(-2) ?? [])
    expect(text).toMatch(/category: policy_blocked\nerror: quota_blocked: 1 of 3 left/)
  await flow.say('just one')
  expect(last(flow)).toBe('one')
  expect(results).toHaveLength(5)
})

test('LOOP-15 calls of one person in several conversations are counted together, also at once', async () => {
  const model = createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'tool' ? say('done') : call('list_directory', { path: '.' }),
  )
  await using flow = await createFlow({ model, settings: toolCalls(4) })
  const rooms = Array.from({ length: 8 }, (_, index) => `room ${index}`)
  await Promise.all(rooms.map((room) => flow.say('go', ada, room)))
  const rows = await flow.db
    .selectFrom('tool_call')
    .select(({ fn }) => ['state', fn.countAll<string>().as('count')])
    .groupBy('state')
    .orderBy('state')
    .execute()
  expect(rows).toEqual([
    { state: 'failed', count: 4 },
    { state: 'succeeded', count: 4 },
  ])
})

test('LOOP-15 cost is counted by the price table, an exempt caller has no budget, and a session has its own', async () => {
  const model = createScriptedModel([say('answered')])
  const settings = {
    COUNTERSIGN_BUDGETS_SESSION_COST_PER_DAY: '0.0001',
    COUNTERSIGN_PRICES: JSON.stringify({ scripted: { input: 1, output: 1 } }),
    COUNTERSIGN_BUDGETS_EXEMPT: bob.id,
  }
  await using flow = await createFlow({ model, settings })
  await flow.say('one')
  await flow.say('two')
  expect(last(flow)).toMatch(
    /the budget of 0\.0001 USD a day for this session is used up \(0\.0001 of 0\.0001 USD\)/,
  )
  await flow.say('three', bob)
  expect(last(flow)).toBe('answered')
  await flow.say('/clear')
  await flow.say('four')
  expect(last(flow)).toBe('answered')
})
