import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { CoreSettings } from '../../../src/core/context.ts'
import type { ToolCallRow } from '../../../src/db/schema.ts'
import type { ModelAnswer } from '../../../src/ports/model.ts'
import type { CallOutcome, JobHeader } from '../../../src/rules/jobs/contract.ts'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const first = 'a'.repeat(64)
const second = 'b'.repeat(64)
const url = 'https://site.example/page'
const fetchIt = call('fetch', { url })
const readIt = call('read', { path: 'a.txt' })
const writeIt = call('write', { path: 'b.txt', content: 'x' })

/** Whatever the model asks for may run. */
async function openBench(
  script: readonly ModelAnswer[],
  resultCache: CoreSettings['resultCache'] = { ttlMs: 300_000, maxEntries: 1_000 },
): Promise<BenchContext> {
  const bench = await createBenchContext(createScriptedModel(script), { resultCache })
  bench.rules.text = '{ "*": "allow" }'
  await bench.say('go')
  await bench.step()
  return bench
}

function given(output: string, fingerprint?: string): CallOutcome {
  return { kind: 'succeeded', output, ...(fingerprint === undefined ? {} : { fingerprint }) }
}

/** The last call ends so, and the turn goes on. */
async function end(bench: BenchContext, outcome: CallOutcome): Promise<void> {
  await bench.result(await last(bench), outcome)
  await bench.step()
}

async function last(bench: BenchContext): Promise<ToolCallRow> {
  const row = (await bench.calls()).at(-1)
  if (row === undefined) throw new Error('no call')
  return row
}

/** Stops the turn, whose call goes on at its worker, and begins the next: only so can a call run beside one that changes something. */
async function nextTurn(bench: BenchContext): Promise<void> {
  await bench.say('/stop')
  await bench.say('again')
  await bench.step()
}

function knownBy(bench: BenchContext): JobHeader['cache'] {
  return JSON.parse(bench.jobs.at(-1)?.job.header ?? '{}').cache
}

const settledRows = (bench: BenchContext) =>
  bench.database.pool
    .query(
      `select c.tool, c.cached, l.duration_ms from audit_calls c
       join audit_log l on l.call_id = c.call_id and l.kind = 'settled' order by c.at, c.call_id`,
    )
    .then(({ rows }) => rows.map(({ tool, cached }) => [tool, cached === true]))

const entries = (bench: BenchContext) =>
  bench.database.db.selectFrom('result_cache').selectAll().orderBy('created_at').execute()

describe('the result of a web tool', () => {
  test('OUT-11 answers the same call again without a job, in a later turn too, and is audited as such', async () => {
    await using bench = await openBench([fetchIt, fetchIt, say('ok'), fetchIt, say('ok')])
    await end(bench, given('a page'))
    await bench.say('once more')
    await bench.step()
    const rows = await bench.calls()
    expect(rows.map(({ state, result, attempt }) => [state, result, attempt])).toEqual([
      ['succeeded', 'a page', 1],
      ['succeeded', 'a page', 0],
      ['succeeded', 'a page', 0],
    ])
    expect(rows.map(({ cached_from }) => cached_from)).toEqual([null, rows[0]?.id, rows[0]?.id])
    expect(bench.jobs).toHaveLength(1)
    expect(await bench.auditKinds()).toEqual(Array(3).fill(['decided', 'settled']).flat())
    expect(await settledRows(bench)).toEqual([
      ['fetch', false],
      ['fetch', true],
      ['fetch', true],
    ])
  })

  test('OUT-11 WEB-07 what was answered so reached nothing: it is no egress', async () => {
    await using bench = await openBench([fetchIt, fetchIt, say('ok')])
    await end(bench, given('a page'))
    const { rows } = await bench.database.pool.query('select call_id from audit_egress')
    expect(rows).toEqual([{ call_id: (await bench.calls())[0]?.id }])
  })

  test('OUT-11 is found however the model writes the same arguments', async () => {
    const again = toRequest('fetch', '{ "url" : "https://SITE.example:443/x/../page#part" }')
    await using bench = await openBench([fetchIt, calls([again]), say('ok')])
    await end(bench, given('a page'))
    expect((await last(bench)).result).toBe('a page')
    expect(bench.jobs).toHaveLength(1)
  })

  test('OUT-11 POL-06 passes the gate first: what is denied by now stays denied', async () => {
    await using bench = await openBench([fetchIt, fetchIt, say('ok')])
    bench.rules.text = '{ "*": "allow", "fetch": "deny" }'
    await end(bench, given('a page'))
    expect(await last(bench)).toMatchObject({ state: 'denied', cached_from: null })
  })

  test('OUT-11 what asks, asks again; its card says how it ended', async () => {
    await using bench = await openBench([fetchIt, fetchIt, say('ok')])
    bench.rules.text = '{ "fetch": "ask" }'
    await end(bench, given('a page'))
    expect((await last(bench)).state).toBe('awaiting_approval')
    await bench.say('/approve 1')
    await bench.step()
    expect(await last(bench)).toMatchObject({ state: 'succeeded', result: 'a page' })
    expect(bench.jobs).toHaveLength(1)
    const { rows } = await bench.database.pool.query(
      `select body::jsonb -> 'card' -> 'status' ->> 'kind' as state from outbox
       where body::jsonb ->> 'kind' = 'card_update' order by id desc limit 1`,
    )
    expect(rows).toEqual([{ state: 'finished' }])
  })

  test('OUT-11 stays through calls that change files, and ends with /clear', async () => {
    await using bench = await openBench([fetchIt, writeIt, fetchIt, say('ok'), fetchIt])
    await end(bench, given('a page'))
    await end(bench, ok)
    expect((await last(bench)).result).toBe('a page')
    await bench.say('/clear')
    expect(await entries(bench)).toEqual([])
    await bench.say('again')
    await bench.step()
    const fresh = (await bench.calls()).find(
      ({ number, settled_at }) => number === 1 && !settled_at,
    )
    expect(fresh?.state).toBe('queued')
  })

  test('INT-10 OUT-11 a result that comes after /clear is remembered by nobody', async () => {
    await using bench = await openBench([fetchIt])
    await bench.say('/clear')
    await bench.result(await last(bench), given('a page'))
    expect((await last(bench)).settled_at).not.toBeNull()
    expect(await entries(bench)).toEqual([])
  })

  test('OUT-11 one that failed is never remembered', async () => {
    await using bench = await openBench([fetchIt, fetchIt])
    await end(bench, { kind: 'failed', error: { category: 'network_error', message: 'no' } })
    expect((await last(bench)).state).toBe('queued')
    expect(await entries(bench)).toEqual([])
  })

  test.each([
    [300_000, 'queued'],
    [0, 'succeeded'],
  ])(
    'OUT-11 with ttl_secs of %i ms one of ten minutes ago leaves a call %s',
    async (ttlMs, state) => {
      await using bench = await openBench([fetchIt, fetchIt, say('ok')], { ttlMs, maxEntries: 9 })
      await bench.result(await last(bench), given('a page'))
      await sql`update result_cache set created_at = now() - interval '10 minutes'`.execute(
        bench.database.db,
      )
      await bench.step()
      expect((await last(bench)).state).toBe(state)
    },
  )

  test('OUT-11 OUT-09 without expiry it ends with the whole text that it refers to', async () => {
    await using bench = await openBench([fetchIt, fetchIt], { ttlMs: 0, maxEntries: 9 })
    await bench.result(await last(bench), given('a page'))
    await sql`update result_cache set created_at = now() - interval '8 days'`.execute(
      bench.database.db,
    )
    await bench.step()
    expect((await last(bench)).state).toBe('queued')
  })

  test('OUT-11 no more are kept than may be, and the oldest goes first', async () => {
    const pages = [1, 2, 3].map((page) => call('fetch', { url: `${url}/${page}` }))
    await using bench = await openBench([...pages, say('ok')], { ttlMs: 0, maxEntries: 2 })
    for (const page of [1, 2, 3]) await end(bench, given(`page ${page}`))
    const kept = (await entries(bench)).map(({ call_id }) => call_id)
    expect(kept).toEqual((await bench.calls()).slice(1).map(({ id }) => id))
  })

  test('OUT-11 enabled = false remembers nothing', async () => {
    await using off = await createBenchContext(createScriptedModel([fetchIt, fetchIt]))
    off.rules.text = '{ "*": "allow" }'
    await off.say('go')
    await off.step()
    await end(off, given('a page'))
    expect((await last(off)).state).toBe('queued')
    expect(await entries(off)).toEqual([])
  })

  test('OUT-11 LOOP-13 such a call counts: the quota is for what the model is given', async () => {
    await using bench = await openBench([fetchIt, fetchIt, say('ok')])
    await end(bench, given('a page'))
    const session = await bench.database.db.selectFrom('session').selectAll().execute()
    expect(session[0]?.calls_used).toBe(2)
  })

  test('OUT-11 OUT-10 /status counts them, and /output says so', async () => {
    await using bench = await openBench([fetchIt, fetchIt, say('ok')])
    await end(bench, given('a page'))
    await bench.say('/status')
    expect((await bench.notices()).at(-1)).toContain('Answered from the result cache: 1')
    await bench.say('/output 2')
    expect((await bench.notices()).at(-1)).toBe('Call 2, fetch: done, from the result cache')
  })
})

describe('the result of a file tool', () => {
  test('OUT-11 goes to the worker with the name of the files’ state, and is given again where that is the same', async () => {
    await using bench = await openBench([readIt, readIt, say('ok')])
    expect(knownBy(bench)).toEqual({})
    await end(bench, given('text', first))
    expect(knownBy(bench)).toEqual({ known: first })
    await end(bench, { kind: 'unchanged' })
    expect(await last(bench)).toMatchObject({ state: 'succeeded', result: 'text', is_error: false })
    expect(await settledRows(bench)).toEqual([
      ['read', false],
      ['read', true],
    ])
  })

  test('OUT-11 where the files are others it is run, and that is remembered instead', async () => {
    await using bench = await openBench([readIt, readIt, readIt, say('ok')])
    await end(bench, given('text', first))
    await end(bench, given('new text', second))
    const rows = await bench.calls()
    expect(rows[1]).toMatchObject({ result: 'new text', cached_from: null })
    expect(knownBy(bench)).toEqual({ known: second })
    expect(await entries(bench)).toMatchObject([{ call_id: rows[1]?.id, fingerprint: second }])
  })

  test('OUT-11 without such a name it is not remembered', async () => {
    await using bench = await openBench([readIt, readIt])
    await end(bench, given('text'))
    expect(knownBy(bench)).toEqual({})
    expect(await entries(bench)).toEqual([])
  })

  test('OUT-11 is good within its turn alone', async () => {
    await using bench = await openBench([readIt, say('ok'), readIt])
    await end(bench, given('text', first))
    await bench.say('again')
    await bench.step()
    expect(knownBy(bench)).toEqual({})
  })

  test('OUT-11 is forgotten as soon as a call that may change files is sent, bash included', async () => {
    for (const change of [writeIt, call('bash', { command: 'true' })]) {
      await using bench = await openBench([readIt, change, readIt])
      await end(bench, given('text', first))
      expect(await entries(bench)).toEqual([])
      await end(bench, ok)
      expect(knownBy(bench)).toEqual({})
    }
  })

  test.each([
    ['ended after it', [1, 0]],
    ['ended before it', [0, 1]],
  ])(
    'INT-41 OUT-11 one that was made beside a change that %s is not remembered',
    async (_, order) => {
      await using bench = await openBench([writeIt, readIt, readIt])
      await nextTurn(bench)
      const outcomes = [ok, given('text', first)]
      const rows = await bench.calls()
      expect(rows.map(({ state }) => state)).toEqual(['queued', 'queued'])
      for (const index of order) {
        const [row, outcome] = [rows[index], outcomes[index]]
        if (row && outcome) await bench.result(row, outcome)
      }
      expect(await entries(bench)).toEqual([])
    },
  )

  test('INT-41 OUT-11 also where the change was begun once it was under way', async () => {
    await using bench = await openBench([readIt, writeIt])
    await nextTurn(bench)
    const [reading, writing] = await bench.calls()
    if (!reading || !writing) throw new Error('no calls')
    await bench.result(writing, ok)
    await bench.result(reading, given('text', first))
    expect(await entries(bench)).toEqual([])
  })

  test('OUT-11 DECISION-27 nothing of files is remembered once a background job was started', async () => {
    const job = call('bash', { command: 'sleep 9', background: true })
    await using bench = await openBench([job, readIt, writeIt, readIt])
    await end(bench, ok)
    await end(bench, given('text', first))
    await end(bench, ok)
    await end(bench, given('text', first))
    expect(await entries(bench)).toEqual([])
  })

  test('OUT-11 GATE-07 what a rule would hide by now is not shown by it', async () => {
    const list = call('grep', { pattern: 'x' })
    await using bench = await openBench([list, list, list])
    bench.rules.text = '{ "*": "allow", "grep": { "*": "allow", "hidden/*": "deny" } }'
    await end(bench, given('hidden/a: x', first))
    expect(knownBy(bench)).toEqual({})
    bench.rules.text = '{ "*": "allow" }'
    await end(bench, given('a: x', first))
    expect(knownBy(bench)).toEqual({ known: first })
  })

  test('OUT-11 THREAT-5 a worker that names a result it was not asked about gives none', async () => {
    await using bench = await openBench([readIt, say('ok')])
    await end(bench, { kind: 'unchanged' })
    expect(await last(bench)).toMatchObject({ state: 'failed', error_category: 'server_error' })
    expect(await settledRows(bench)).toEqual([['read', false]])
  })

  test('OUT-11 INT-41 its answer counts though the entry has been forgotten meanwhile', async () => {
    await using bench = await openBench([readIt, readIt, say('ok')])
    await end(bench, given('text', first))
    await bench.database.db.deleteFrom('result_cache').execute()
    await end(bench, { kind: 'unchanged' })
    expect(await last(bench)).toMatchObject({ state: 'succeeded', result: 'text' })
  })

  test('OUT-11 DECISION-15 one that came back is compared anew, or not at all', async () => {
    await using bench = await openBench([readIt, readIt])
    await end(bench, given('text', first))
    await bench.database.db.deleteFrom('result_cache').execute()
    await end(bench, { kind: 'refused', why: 'it has expired' })
    expect(await last(bench)).toMatchObject({ attempt: 2, state: 'queued', cached_from: null })
    expect(knownBy(bench)).toEqual({})
  })

  test('OUT-11 POL-04 answered so a call is no execution of its tool', async () => {
    const anomaly = { windowSize: 10, failureThreshold: 0.5, autoBlock: false }
    const model = createScriptedModel([readIt, readIt, say('ok')])
    const resultCache = { ttlMs: 0, maxEntries: 9 }
    await using bench = await createBenchContext(model, { resultCache, anomaly })
    await bench.say('go')
    await bench.step()
    await end(bench, given('text', first))
    await end(bench, { kind: 'unchanged' })
    const counted = await bench.database.db.selectFrom('tool_outcome').selectAll().execute()
    expect(counted).toHaveLength(1)
  })
})

test('OUT-11 sessions share nothing, agents do', async () => {
  await using bench = await openBench([fetchIt, fetchIt, say('ok')])
  await bench.result(await last(bench), given('a page'))
  await bench.step(bench.another())
  expect((await last(bench)).result).toBe('a page')
  const { db } = bench.database
  const other = await db.selectFrom('session').selectAll().executeTakeFirstOrThrow()
  await bench.say('/clear')
  const [, fresh] = await db.selectFrom('session').selectAll().orderBy('created_at').execute()
  expect(fresh?.id).not.toBe(other.id)
  expect(await entries(bench)).toEqual([])
})
