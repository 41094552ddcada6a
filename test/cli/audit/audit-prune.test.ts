import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type KeepAuditOptions, keepAudit } from '../../../src/app/audit/prune-audit.ts'
import { checkpoint } from '../../../src/core/audit/anchors.ts'
import { linkHash } from '../../../src/core/audit/record.ts'
import type { CoreContext } from '../../../src/core/context.ts'
import { appendAudit, lockHead } from '../../../src/db/audit/audit-log.ts'
import { appRole, grantAppRole } from '../../../src/db/roles/grant-roles.ts'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'
import { createSigner } from '../../../src/rules/jobs/sign.ts'
import { silentLog } from '../../../src/util/log.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

interface Place extends AsyncDisposable {
  readonly cwd: string
  readonly database: TestDatabase
  readonly signer: KeepAuditOptions['signer']
  run(...args: readonly string[]): ReturnType<typeof runProgram>
}

/** One chain with two rows of January 2020 and one of February. */
async function createPlace(): Promise<Place> {
  const directory = await temporaryDirectory()
  const database = await createTestDatabase()
  const cwd = directory.path
  const { privateKeyPem } = generateKeyPair()
  await mkdir(join(cwd, 'data', 'keys'), { recursive: true })
  await writeFile(join(cwd, 'data', 'keys', 'signing-key.pem'), privateKeyPem, { mode: 0o600 })
  const { kid, sign } = createSigner(privateKeyPem)
  for (const month of ['2020-01-01', '2020-02-01']) {
    await sql`select make_audit_partition(${month}::timestamp)`.execute(database.db)
  }
  for (const at of [
    '2020-01-01T00:00:00.000Z',
    '2020-01-31T23:59:59.999Z',
    '2020-02-01T00:00:00.000Z',
  ]) {
    await append(database, at)
  }
  const environment = { DATABASE_URL: toDatabaseUrl(database.connection) }
  return {
    cwd,
    database,
    signer: { kid, signText: sign },
    run: (...args) => runProgram(['audit', ...args], { cwd, environment }),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

async function append({ db }: TestDatabase, at: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const head = await lockHead(trx, 'chain')
    const body = JSON.stringify({ at, kind: 'command' })
    const seq = head.seq + 1
    const hash = linkHash(head.hash, 'chain', seq, body)
    const link = { chain: 'chain', seq, previous_hash: head.hash, hash }
    await appendAudit(trx, { ...link, at: new Date(at), kind: 'command', body } as never)
  })
}

/** Signs the heads as an agent does; returns what it logs. */
async function sign({ database, signer }: Place): Promise<string> {
  const lines: string[] = []
  const info = (fields: object) => void lines.push(JSON.stringify(fields))
  const ctx = { db: database.db, log: { ...silentLog, info } } as unknown as CoreContext
  await checkpoint(ctx, signer)
  return lines.join('\n')
}

test('AUD-02 AUD-03 audit prune drops months behind a checkpoint, says so, and the rest is whole', async () => {
  await using place = await createPlace()
  const unsigned = await place.run('prune', '--days', '30')
  expect(unsigned.exitCode).toBe(1)
  expect(unsigned.stdout).toBe(
    'kept: the month before 2020-02-01: no signed checkpoint covers row 2 of chain chain\n',
  )
  const saved = join(place.cwd, 'saved.log')
  await writeFile(saved, await sign(place))
  const said = 'the month before 2020-02-01, 2 rows of 1 chains\n'
  const trial = await place.run('prune', '--days', '30', '--dry-run')
  expect(trial).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`would drop: ${said}`),
  })
  const done = await place.run('prune', '--days', '30')
  expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`dropped: ${said}`) })
  expect((await place.run('prune', '--days', '30')).stdout).toBe('nothing to drop\n')
  expect((await place.run('verify', '--since-checkpoint', saved)).stdout).toBe(
    'ok: 2 rows in 2 chains, 1 checkpoints, 2 months dropped\n',
  )
  expect((await place.run('--csv')).stdout).toContain(
    'dropped the month of the audit before 2020-02',
  )
})

test('AUD-02 audit verify reports a month that was dropped by hand', async () => {
  await using place = await createPlace()
  await sign(place)
  await sql`drop table audit_log_2020_01`.execute(place.database.db)
  const { exitCode, stdout } = await place.run('verify')
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: 'broken: chain chain, row 1: row 1 is missing\n',
  })
})

test('CLI-01 audit prune needs days, the key of the agents, and the owner', async () => {
  await using place = await createPlace()
  const forEver = await place.run('prune')
  expect(forEver).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('retention_days') })
  for (const days of ['0', '1.5', 'many']) {
    expect((await place.run('prune', '--days', days)).exitCode).toBe(2)
  }
  await using elsewhere = await temporaryDirectory()
  const environment = { DATABASE_URL: toDatabaseUrl(place.database.connection) }
  const keyless = await runProgram(['audit', 'prune', '--days', '9'], {
    cwd: elsewhere.path,
    environment,
  })
  expect(keyless).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('signing-key.pem') })
  await grantAppRole(place.database.db)
  const asApp = toDatabaseUrl({ ...place.database.connection, user: appRole })
  const refused = await runProgram(['audit', 'prune', '--days', '9'], {
    cwd: place.cwd,
    environment: { DATABASE_URL: asApp },
  })
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('may not drop') })
})

test('AUD-03 the daily run makes months ahead, and drops where the process holds the owner’s connection', async () => {
  await using place = await createPlace()
  const { db, connection } = place.database
  await grantAppRole(db)
  await sign(place)
  await sql`drop table audit_log_default`.execute(db)
  await sql`create table audit_log_default partition of audit_log default`.execute(db)
  const warnings: string[] = []
  const log = { ...silentLog, warn: (_fields: object, text: string) => void warnings.push(text) }
  const config = {
    dataDir: join(place.cwd, 'data'),
    audit: { retentionDays: 30, checkpointEveryMs: 60_000 },
  } as KeepAuditOptions['config']
  const { signer } = place
  const left = async () =>
    (
      await sql<{ n: number }>`select count(*) as n from audit_log where chain = 'chain'`.execute(
        db,
      )
    ).rows[0]?.n
  await keepAudit({ config, db, owner: { ...connection, user: appRole }, signer, log })
  expect(await left()).toBe(3)
  expect(warnings).toEqual([expect.stringContaining('may not drop')])
  const forEver = { ...config, audit: { ...config.audit, retentionDays: 0 } }
  await keepAudit({ config: forEver, db, owner: connection, signer, log })
  expect(await left()).toBe(3)
  await keepAudit({ config, db, owner: connection, signer, log })
  expect(await left()).toBe(0)
  expect(warnings).toHaveLength(1)
})

test('AUD-03 prune reports a held lock, and the daily run logs it', async () => {
  await using place = await createPlace()
  const { db, connection } = place.database
  await sign(place)
  const warnings: string[] = []
  const log = { ...silentLog, warn: (_fields: object, text: string) => void warnings.push(text) }
  const config = { dataDir: join(place.cwd, 'data'), audit: { retentionDays: 30 } }
  await db.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(hashtext('audit retention'))`.execute(holder)
    const { exitCode, stdout } = await place.run('prune', '--days', '30')
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: 'nothing dropped: somebody else prunes right now\n',
    })
    const options = { db, owner: connection, signer: place.signer, log }
    await keepAudit({ config: config as KeepAuditOptions['config'], ...options })
  })
  expect(warnings).toEqual([expect.stringMatching(/^somebody else prunes/)])
})

test('AUD-02 AUD-03 a forged checkpoint stops no month; its owner removes it as the documentation says', async () => {
  await using place = await createPlace()
  const { db } = place.database
  await sign(place)
  const forged = { at: new Date(), body: '{}', kid: place.signer.kid, signature: 'any' }
  await db.insertInto('audit_checkpoint').values(forged).execute()
  expect((await place.run('prune', '--days', '30')).exitCode).toBe(0)
  const broken = await place.run('verify')
  expect(broken.exitCode).toBe(1)
  expect(broken.stdout).toBe('broken: chain checkpoint, row 2: the signature is wrong\n')
  const documentation = await readFile(
    new URL('../../../docs/how-to/read-the-audit.md', import.meta.url),
    'utf8',
  )
  const [, recipe] = /```sql\n(begin;[^`]+audit_checkpoint[^`]+)```/.exec(documentation) ?? []
  await place.database.pool.query(recipe?.replace('4711', '2') ?? '')
  expect((await place.run('verify')).stdout).toMatch(/^ok: /)
  await expect(sql`delete from audit_checkpoint`.execute(db)).rejects.toThrow('append-only')
})

test('AUD-03 start carries out [audit] retention_days', async () => {
  await using place = await createPlace()
  await sign(place)
  const environment = {
    DATABASE_URL: toDatabaseUrl(place.database.connection),
    COUNTERSIGN_AUDIT_RETENTION_DAYS: '30',
  }
  const ended = await runProgram(['start'], { cwd: place.cwd, environment })
  expect(ended).toMatchObject({ exitCode: 0 })
  expect((await place.run('verify')).stdout).toContain('2 months dropped\n')
})
