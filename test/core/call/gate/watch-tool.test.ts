import { describe, expect, test } from 'vitest'
import { createLogObserver } from '../../../../src/app/logs/observe.ts'
import type { CallContext } from '../../../../src/core/call/gate/call-context.ts'
import { watchTool } from '../../../../src/core/call/gate/watch-tool.ts'
import type { AnomalyLimits } from '../../../../src/core/context.ts'
import { transact } from '../../../../src/core/transaction.ts'
import { findTrust } from '../../../../src/db/call/tool-trust.ts'
import type { ToolCallRow } from '../../../../src/db/schema.ts'
import { silentLog } from '../../../../src/util/log.ts'
import { type BenchContext, createBenchContext } from '../../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../../support/scripted-model.ts'

const limits: AnomalyLimits = { windowSize: 20, failureThreshold: 0.7, autoBlock: true }

/** As many reads in one message as a test wants to end. */
const reading = (count: number) =>
  createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user'
      ? calls(Array.from({ length: count }, () => toRequest('read', { path: 'a' })))
      : say('done'),
  )

function open(anomaly: Partial<AnomalyLimits> = {}, count = 1): Promise<BenchContext> {
  const settings = { anomaly: { ...limits, ...anomaly }, alertsTo: 'test:ops' }
  return createBenchContext(reading(count), settings)
}

/** An execution of a tool that ended so, in a transaction of its own. */
async function end(ctx: CallContext, tool: string, category: string | null): Promise<void> {
  const state = category === null ? 'succeeded' : 'failed'
  const call = {
    tool,
    state,
    error_category: category,
    envelope: null,
    cached_from: null,
  } as ToolCallRow
  await transact(ctx, (tx) => watchTool(tx, call))
}

async function endMany(
  bench: BenchContext,
  tool: string,
  failed: readonly boolean[],
): Promise<void> {
  for (const fails of failed) await end(bench.ctx, tool, fails ? 'network_error' : null)
}

const times = (count: number, fails: boolean): boolean[] =>
  Array.from({ length: count }, () => fails)

async function alertsOf(bench: BenchContext): Promise<readonly string[]> {
  const notices = await bench.notices()
  return notices.filter((text) => text.startsWith('CRITICAL'))
}

const levelOf = async (bench: BenchContext, tool: string) =>
  (await findTrust(bench.database.db)).get(tool) ?? 'trusted'

describe('a tool that keeps failing', () => {
  test('POL-04 is blocked when more than the threshold of at least ten executions failed; operators are told name and rate', async () => {
    await using bench = await open()
    await endMany(bench, 'fetch', [...times(3, false), ...times(7, true)])
    // Seven of ten are not more than 0.7.
    expect(await alertsOf(bench)).toEqual([])
    await endMany(bench, 'fetch', [true])
    expect(await alertsOf(bench)).toEqual([
      expect.stringContaining(
        'the tool fetch keeps failing: 8 of its last 11 executions failed (73 %)',
      ),
    ])
    expect(await levelOf(bench, 'fetch')).toBe('blocked')
    expect(bench.events).toMatchObject([
      { kind: 'tool_anomaly', tool: 'fetch', failureRate: 8 / 11, blocked: true },
    ])
    const warned: unknown[] = []
    const observer = createLogObserver({
      ...silentLog,
      warn: (fields, message) => void warned.push([message, fields]),
    })
    for (const event of bench.events) observer.record(event)
    const fields = expect.objectContaining({ tool: 'fetch', failureRate: 0.727272727273 })
    expect(warned).toEqual([['tool anomaly', fields]])
    const { db } = bench.database
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('kind', '=', 'anomaly')
      .execute()
    expect(rows).toMatchObject([{ chain: 'system', tool: 'fetch', caller_id: 'anomaly' }])
    expect(await db.selectFrom('tool_trust').selectAll().execute()).toMatchObject([
      { tool: 'fetch', set_by: 'anomaly', reason: '8 of its last 11 executions failed (73 %)' },
    ])
  })

  test('POL-04 nine failures say nothing yet; a window below ten counts when it is full', async () => {
    await using bench = await open()
    await endMany(bench, 'fetch', times(9, true))
    expect(await alertsOf(bench)).toEqual([])
    await using small = await open({ windowSize: 4 })
    await endMany(small, 'fetch', times(3, true))
    expect(await alertsOf(small)).toEqual([])
    await endMany(small, 'fetch', [true])
    expect(await alertsOf(small)).toHaveLength(1)
  })

  test('POL-04 executions slide out of the window, and the table stays small', async () => {
    await using bench = await open({ windowSize: 12 })
    await endMany(bench, 'fetch', [...times(60, false), ...times(8, true)])
    expect(await alertsOf(bench)).toEqual([])
    const rows = await bench.database.db.selectFrom('tool_outcome').selectAll().execute()
    expect(rows.length).toBeLessThanOrEqual(14)
    await endMany(bench, 'fetch', [true])
    expect(await alertsOf(bench)).toEqual([expect.stringContaining('9 of its last 12')])
  })

  test('POL-04 failures of one tool never count for another', async () => {
    await using bench = await open()
    await endMany(bench, 'bash', times(9, true))
    await endMany(bench, 'fetch', times(12, true))
    expect(await levelOf(bench, 'fetch')).toBe('blocked')
    expect(await levelOf(bench, 'bash')).toBe('trusted')
  })

  test('POL-04 without auto_block operators are told once an incident; the next comes after a recovery', async () => {
    await using bench = await open({ autoBlock: false, windowSize: 10 })
    await endMany(bench, 'fetch', times(15, true))
    expect(await alertsOf(bench)).toEqual([expect.stringContaining('would keep it from being')])
    // About the threshold it is the same incident.
    await endMany(bench, 'fetch', [false, false, false, true, true])
    expect(await alertsOf(bench)).toHaveLength(1)
    expect(await levelOf(bench, 'fetch')).toBe('trusted')
    await endMany(bench, 'fetch', [...times(10, false), ...times(10, true)])
    expect(await alertsOf(bench)).toHaveLength(2)
  })

  test('POL-04 two processes that settle at once tell once, and neither misses the failure of the other', async () => {
    await using bench = await open()
    for (let round = 0; round < 5; round += 1) {
      const tool = ['fetch', 'read', 'grep', 'write', 'edit'][round] ?? ''
      await endMany(bench, tool, times(8, true))
      const contexts = [bench.ctx, bench.another()]
      await Promise.all(contexts.map((ctx) => end(ctx, tool, 'timeout')))
      expect(await levelOf(bench, tool)).toBe('blocked')
    }
    expect(await alertsOf(bench)).toHaveLength(5)
    expect(bench.events.filter(({ kind }) => kind === 'tool_anomaly')).toHaveLength(5)
  })

  test('POL-04 it is written with the settle or not at all', async () => {
    await using bench = await open()
    await endMany(bench, 'fetch', times(9, true))
    const call = { tool: 'fetch', state: 'failed', error_category: 'timeout', envelope: null }
    const killed = transact(bench.ctx, async (tx) => {
      await watchTool(tx, call as ToolCallRow)
      throw new Error('killed before the commit')
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await alertsOf(bench)).toEqual([])
    expect(await levelOf(bench, 'fetch')).toBe('trusted')
    await endMany(bench, 'fetch', [true])
    expect(await alertsOf(bench)).toEqual([expect.stringContaining('10 of its last 10')])
  })

  test('POL-04 nobody watches where it is switched off, nor tools of the agent itself', async () => {
    await using bench = await open()
    const off = { ...bench.ctx, settings: { ...bench.ctx.settings, anomaly: undefined } }
    for (let count = 0; count < 12; count += 1) {
      await end(off, 'fetch', 'timeout')
      await end(bench.ctx, 'read_overflow', 'permanent_failure')
    }
    expect(await bench.database.db.selectFrom('tool_outcome').selectAll().execute()).toEqual([])
    expect(await alertsOf(bench)).toEqual([])
  })

  test('POL-04 POL-06 results of calls are what is counted, and the calls after it are refused', async () => {
    await using bench = await open({}, 12)
    await bench.say('read much')
    await bench.step()
    const sent = await bench.calls()
    expect(sent.map(({ state }) => state)).toEqual(sent.map(() => 'queued'))
    const error = { category: 'permanent_failure', message: 'no' } as const
    for (const call of sent.slice(0, 9)) await bench.result(call, { kind: 'failed', error })
    for (const call of sent.slice(9, 10)) await bench.result(call, { kind: 'interrupted' })
    expect(await levelOf(bench, 'read')).toBe('trusted')
    for (const call of sent.slice(10)) await bench.result(call, { kind: 'failed', error })
    expect(await levelOf(bench, 'read')).toBe('blocked')
    await bench.step()
    await bench.say('once more')
    await bench.step()
    const [refused] = (await bench.calls()).slice(12)
    expect(refused).toMatchObject({ state: 'denied', attempt: 0 })
    expect(refused?.result).toContain('the tool read is blocked')
  })
})
