import { expect, test } from 'vitest'
import type { ToolRequest } from '../../../src/domain/message.ts'
import type { CallOutcome } from '../../../src/rules/jobs/contract.ts'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const read = (path = 'a'): ToolRequest => toRequest('read', { path })
const edit = toRequest('edit', { path: 'a', old_string: 'old', new_string: 'new' })
const asks = toRequest('bash', { command: 'touch a' })
const failed: CallOutcome = {
  kind: 'failed',
  error: { category: 'permanent_failure', message: 'no such text' },
}

async function benchWith(requests: readonly ToolRequest[], rules?: string) {
  const bench = await createBenchContext(createScriptedModel([calls(requests), say('Done.')]))
  if (rules !== undefined) bench.rules.text = rules
  await bench.say('go')
  await bench.step()
  return bench
}

async function states(bench: BenchContext): Promise<string> {
  return (await bench.calls()).map(({ state }) => state).join(' ')
}

/** Ends the call at this place of the batch, and lets the turn go on. */
async function end(bench: BenchContext, place: number, outcome: CallOutcome = ok): Promise<void> {
  const row = (await bench.calls())[place]
  if (row === undefined) throw new Error(`no call at ${place}`)
  await bench.result(row, outcome)
  await bench.step()
}

test('REG-07 DECISION-2 what reads goes side by side, what changes something waits for it, and what comes after waits for that', async () => {
  await using bench = await benchWith([read(), read('b'), edit, read(), read('b')])
  expect(await states(bench)).toBe('queued queued allowed allowed allowed')
  await end(bench, 1)
  expect(await states(bench)).toBe('queued succeeded allowed allowed allowed')
  await end(bench, 0)
  expect(await states(bench)).toBe('succeeded succeeded queued allowed allowed')
  await end(bench, 2)
  expect(await states(bench)).toBe('succeeded succeeded succeeded queued queued')
})

test('REG-07 DECISION-2 a change that fails lets what reads after it go on', async () => {
  await using bench = await benchWith([edit, read()])
  expect(await states(bench)).toBe('queued allowed')
  await end(bench, 0, failed)
  expect(await states(bench)).toBe('failed queued')
})

test('REG-07 APPR-01 what reads waits for a change that waits for a person; approved, it runs after it, also by another agent', async () => {
  await using bench = await benchWith([asks, read()])
  expect(await states(bench)).toBe('awaiting_approval allowed')
  await bench.say('/approve 1')
  const other = bench.another()
  await bench.step(other)
  expect(await states(bench)).toBe('queued allowed')
  await end(bench, 0)
  expect(await states(bench)).toBe('succeeded queued')
})

test('REG-07 APPR-03 denied, it lets what reads go on at once', async () => {
  await using bench = await benchWith([asks, read()])
  await bench.say('/deny 1 not now')
  await bench.step()
  expect(await states(bench)).toBe('denied queued')
})

test('REG-07 THREAT-1 a change waits for an earlier read that a worker sent back to be asked about', async () => {
  const rules = '{ "*": "allow", "read": { "*": "allow", "secret": "ask" } }'
  await using bench = await benchWith([read(), edit], rules)
  await end(bench, 0, { kind: 'elsewhere', canonical: ['/workspace/secret'] })
  expect(await states(bench)).toBe('awaiting_approval allowed')
  await bench.say('/deny 1 no')
  await bench.step()
  expect(await states(bench)).toBe('denied queued')
})

test('REG-07 what commands without a network cannot change does not wait for them: pages, and the session’s own rows', async () => {
  const page = toRequest('fetch', { url: 'https://example.com/' })
  const own = toRequest('read_overflow', { id: '0' })
  const rules = '{ "*": "allow", "bash": "ask" }'
  await using bench = await benchWith([asks, page, own], rules)
  expect(await states(bench)).toBe('awaiting_approval queued failed')
})
