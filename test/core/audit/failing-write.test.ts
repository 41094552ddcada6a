import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sweep } from '../../../src/core/turn/sweep.ts'
import type { Db } from '../../../src/db/schema.ts'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

/** From now on the database takes no row of this kind into the audit. */
async function breakAudit(db: Db, kind: string): Promise<AsyncDisposable> {
  await sql`
    create function no_audit() returns trigger language plpgsql as $$
    begin raise exception 'the audit is full'; end $$`.execute(db)
  await sql`
    create trigger no_audit before insert on audit_log for each row
    when (new.kind = ${sql.lit(kind)}) execute function no_audit()`.execute(db)
  return {
    [Symbol.asyncDispose]: async () => {
      await sql`drop function no_audit cascade`.execute(db)
    },
  }
}

/** A turn whose model says the same each time that it is asked anew. */
async function begin(): Promise<BenchContext> {
  const write = call('write', { path: 'a', content: 'x' })
  const bench = await createBenchContext(createScriptedModel([write, write, say('done')]))
  await bench.say('hi')
  return bench
}

test('AUD-05 a call whose decision cannot be recorded is sent to no worker, until it can', async () => {
  await using bench = await begin()
  {
    await using _broken = await breakAudit(bench.database.db, 'decided')
    await bench.step().catch(() => undefined)
    expect(bench.jobs).toEqual([])
    expect((await bench.calls()).map(({ state }) => state)).not.toContain('queued')
    expect(await bench.auditKinds()).toEqual([])
  }
  // Whoever held the turn gave up; the sweeper hands it on when its lease is over.
  await bench.database.db
    .updateTable('turn')
    .set({ lease_until: new Date(0) })
    .execute()
  await sweep(bench.ctx, new Date(0))
  await bench.step()
  expect(bench.jobs).toHaveLength(1)
  expect(await bench.auditKinds()).toEqual(['decided'])
})

test('AUD-05 a result that cannot be recorded is not taken; when it comes again, it is, with its row', async () => {
  await using bench = await begin()
  await bench.step()
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  {
    await using _broken = await breakAudit(bench.database.db, 'settled')
    await bench.result(row, ok).catch(() => undefined)
    expect((await bench.calls())[0]).toMatchObject({ state: 'queued', result: null })
    expect(await bench.auditKinds()).toEqual(['decided'])
  }
  await bench.result(row, ok)
  expect((await bench.calls())[0]).toMatchObject({ state: 'succeeded' })
  expect(await bench.auditKinds()).toEqual(['decided', 'settled'])
})

test('AUD-05 a denial that cannot be recorded is none', async () => {
  await using bench = await createBenchContext(
    createScriptedModel([call('bash', { command: 'true' }), say('done')]),
  )
  await bench.say('hi')
  await bench.step()
  {
    await using _broken = await breakAudit(bench.database.db, 'settled')
    await bench.say('/deny').catch(() => undefined)
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
  }
})
