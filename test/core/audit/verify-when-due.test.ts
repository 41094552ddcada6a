import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createPrometheus } from '../../../src/adapters/telemetry/create-prometheus.ts'
import { createAuditVerifier } from '../../../src/app/audit/keep-audit.ts'
import { watchDatabaseState } from '../../../src/app/processes/watch-database-state.ts'
import { checkVerification } from '../../../src/cli/doctor/check-database.ts'
import { record } from '../../../src/core/audit/record.ts'
import { verifyWhenDue } from '../../../src/core/audit/verify-chains.ts'
import { lockByName } from '../../../src/db/locks.ts'
import type { Db } from '../../../src/db/schema.ts'
import { configOf, loadToml } from '../../config/support.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'

const check = () => true
const dayMs = 86_400_000

async function addRow(db: Db): Promise<void> {
  await db.transaction().execute((trx) => record(trx, { kind: 'command', chain: 'system' }))
}

/** As the owner of the tables could. */
async function breakChain(db: Db): Promise<void> {
  await db.transaction().execute(async (owner) => {
    await sql`set local session_replication_role = replica`.execute(owner)
    await sql`update audit_log set body = replace(body, 'command', 'commanx')`.execute(owner)
  })
}

async function makeOld(db: Db): Promise<void> {
  await sql`update audit_verification set at = at - interval '2 days 1 hour'`.execute(db)
}

test('AUD-02 the audit is verified when it is due, by one process at a time, and the result is kept', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await addRow(db)
  const first = await verifyWhenDue(db, check, dayMs)
  expect(first?.report).toMatchObject({ rows: 1, chains: 1, broken: [] })
  expect(await verifyWhenDue(db, check, dayMs)).toBeUndefined()
  await makeOld(db)
  await db.transaction().execute(async (other) => {
    await lockByName(other, 'verify the audit')
    expect(await verifyWhenDue(db, check, dayMs)).toBeUndefined()
  })
  expect(await verifyWhenDue(db, check, dayMs)).toBeDefined()
})

test('AUD-02 a broken chain is logged each time, alerted once, and shown by doctor and metrics', async () => {
  await using bench = await createBenchContext(createScriptedModel([]), {
    alertsTo: 'telegram:-100',
  })
  const { db } = bench.database
  const config = configOf(loadToml(''))
  const verify = createAuditVerifier(bench.ctx, config)
  expect(await checkVerification(db, dayMs)).toMatchObject({ level: 'ok' })
  await addRow(db)
  expect(await checkVerification(db, dayMs)).toMatchObject({ level: 'ok' })
  expect(await checkVerification(db, 1)).toMatchObject({
    level: 'warn',
    finding: expect.stringContaining('was never verified'),
  })
  await verify()
  expect(await checkVerification(db, dayMs)).toMatchObject({ level: 'ok' })
  await makeOld(db)
  expect(await checkVerification(db, dayMs)).toMatchObject({ level: 'warn' })
  await breakChain(db)
  await verify()
  await makeOld(db)
  await verify()
  const alerts = await db.selectFrom('outbox').select('body').execute()
  expect(alerts).toHaveLength(1)
  expect(alerts[0]?.body).toContain('chain system, row 1')
  expect(await checkVerification(db, dayMs)).toMatchObject({ level: 'fail' })
  const metrics = createPrometheus({ tools: [] })
  watchDatabaseState(metrics, db)
  expect(await metrics.text()).toContain('audit_broken 1')
})

test('AUD-02 with verify_every = 0 nothing is verified, and doctor says so', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const config = configOf(loadToml('[audit]\nverify_every = 0'))
  await createAuditVerifier(bench.ctx, config)()
  const { db } = bench.database
  expect(await db.selectFrom('audit_verification').selectAll().execute()).toEqual([])
  expect(await checkVerification(db, 0)).toMatchObject({ level: 'warn' })
})
