import { describe, expect, test } from 'vitest'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { resolveNames } from '../../../src/db/audit/audit-search.ts'
import type { SignedJob } from '../../../src/rules/jobs/contract.ts'
import { parseVerifyKeys } from '../../../src/rules/jobs/keys.ts'
import { verifyJob } from '../../../src/rules/jobs/verify.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const longAgo = new Date(0)
/** What the bus takes at most. */
const busBytes = 7_000

function check(bench: BenchContext, job: unknown) {
  const verifyKeys = parseVerifyKeys(bench.ctx.signer.publicKeyPem)
  return verifyJob(job, { verifyKeys, worker: 'default', nowSeconds: Date.now() / 1000 })
}

async function used(bench: BenchContext): Promise<number> {
  const row = await bench.database.db.selectFrom('session').selectAll().executeTakeFirstOrThrow()
  return row.calls_used
}

describe('cancelling', () => {
  test('LOOP-14 a cancel fits the bus whatever it cancels: long arguments, many rules', async () => {
    const content = 'x'.repeat(50_000)
    await using bench = await createBenchContext(
      createScriptedModel([call('write', { path: 'a', content })]),
    )
    const rules = Array.from({ length: 400 }, (_, index) => `"*.secret-kind-${index}": "deny"`)
    bench.rules.text = `{"*": "allow", "write": {"*": "allow", ${rules.join(', ')}}}`
    await bench.say('hi')
    await bench.step()
    expect((await bench.calls())[0]?.state).toBe('queued')
    await bench.say('/stop')
    await sweep(bench.ctx, longAgo)
    expect(bench.cancels).toHaveLength(2)
    for (const cancel of bench.cancels) {
      const { header, signature } = cancel as SignedJob
      expect(Buffer.byteLength(JSON.stringify(cancel))).toBeLessThan(busBytes - 500)
      expect(signature).not.toBe('')
      expect(JSON.parse(header)).toMatchObject({ type: 'cancel', attempt: 1 })
      expect(check(bench, cancel)).toMatchObject({ kind: 'ok' })
    }
  })

  test('LOOP-13 a queued call that is cancelled before it began is given back; one that ran is not', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([
        calls([toRequest('read', { path: 'a' }), toRequest('read', { path: 'b' })]),
      ]),
    )
    await bench.say('hi')
    await bench.step()
    expect(await used(bench)).toBe(2)
    await bench.say('/stop')
    const [idle, running] = await bench.calls()
    if (idle === undefined || running === undefined) throw new Error('no calls')
    const outcome = {
      kind: 'failed',
      error: { category: 'cancelled', message: 'the call was stopped' },
    } as const
    await bench.started(running)
    await bench.result(running, outcome)
    expect(await used(bench)).toBe(2)
    await bench.result(idle, outcome, 1, 0)
    expect(await used(bench)).toBe(1)
  })

  test('APPR-13 /stop after an approval that nothing was done with: the card says that it never ran', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'true' })]),
    )
    await bench.say('hi')
    await bench.step()
    await bench.say('/approve')
    await bench.say('/stop')
    expect((await bench.calls())[0]?.state).toBe('cancelled')
    const { card } = await bench.database.db
      .selectFrom('approval')
      .select('card')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(card).status).toEqual({ kind: 'cancelled', why: 'stopped', by: 'Ada' })
  })

  test('AUD-01 /stop is recorded, with who stopped it', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('never')]))
    await bench.say('hi')
    await bench.say('/stop')
    const rows = await bench.database.db.selectFrom('audit_log').selectAll().execute()
    expect(await resolveNames(bench.database.db, rows)).toMatchObject([
      { kind: 'command', caller_id: 'test:ada' },
    ])
    expect(JSON.parse(rows[0]?.body ?? '')).toMatchObject({ note: '/stop' })
  })
})

describe('what a worker could not take', () => {
  test('LOOP-02 PROC-02 a path too long for the contract is refused here, not sent for ever', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('read', { path: 'a'.repeat(4096) }), say('done')]),
    )
    await bench.say('hi')
    await bench.step()
    expect((await bench.calls())[0]).toMatchObject({
      state: 'failed',
      error_category: 'invalid_parameters',
    })
    expect(bench.jobs).toEqual([])
    await bench.step()
    expect((await bench.notices()).at(-1)).toBe('done')
  })

  test('REL-02 every job that is sent follows the contract, also for an argument text of 2 MB', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('write', { path: 'a', content: 'é'.repeat(1_000_000) })]),
    )
    await bench.say('hi')
    await bench.step()
    expect(bench.jobs).toHaveLength(1)
    expect(check(bench, bench.jobs[0]?.job)).toMatchObject({ kind: 'ok' })
  })

  test('LOOP-06 REL-02 a message with hundreds of calls runs some, and every call has its result', async () => {
    const model = createScriptedModel([
      calls(Array.from({ length: 300 }, (_, index) => toRequest('reed', { path: `${index}` }))),
      say('done'),
    ])
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    await bench.step()
    await bench.step()
    const results = model.requests[1]?.messages.filter((message) => message.role === 'tool')
    expect(results).toHaveLength(300)
    expect(results?.at(-1)?.text).toContain('only the first 64 calls')
    expect(results?.[0]?.text).not.toContain('only the first 64 calls')
  })
})
