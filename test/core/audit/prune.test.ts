import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type PruneOptions, pruneAudit } from '../../../src/core/audit/prune.ts'
import { linkHash, record } from '../../../src/core/audit/record.ts'
import { verifyChains } from '../../../src/core/audit/verify-chains.ts'
import { appendAudit, lockHead } from '../../../src/db/audit/audit-log.ts'
import { lockByName, tryLock } from '../../../src/db/locks.ts'
import type { Db } from '../../../src/db/schema.ts'
import { canonicalJson } from '../../../src/util/canonical-json.ts'
import { silentLog } from '../../../src/util/log.ts'
import { createTestDatabase } from '../../support/database/database.ts'

const signer = { kid: 'k', signText: (text: string) => `signed ${text.length}` }
const check = (kid: string, body: string, signature: string) =>
  kid === 'k' ? signature === `signed ${body.length}` : undefined

/** A row as it was written in another month. */
async function append(db: Db, chain: string, at: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const head = await lockHead(trx, chain)
    const time = new Date(at)
    const body = canonicalJson({ kind: 'command', chain, at: time.toISOString() })
    const seq = head.seq + 1
    const hash = linkHash(head.hash, chain, seq, body)
    const row = { chain, seq, previous_hash: head.hash, hash, at: time, kind: 'command', body }
    await appendAudit(trx, row as never)
  })
}

async function sign(db: Db): Promise<void> {
  const heads = await db.selectFrom('audit_head').select(['chain', 'seq', 'hash']).execute()
  const body = canonicalJson({ heads })
  const signature = signer.signText(body)
  await db
    .insertInto('audit_checkpoint')
    .values({ at: new Date(), body, kid: 'k', signature })
    .execute()
}

/** Two old months and this one: `ended` is of January alone, `going` goes on in all three. */
async function old(db: Db): Promise<void> {
  for (const month of ['2020-01-01', '2020-02-01']) {
    await sql`select make_audit_partition(${month}::timestamp)`.execute(db)
  }
  await append(db, 'ended', '2020-01-02T00:00:00Z')
  await append(db, 'ended', '2020-01-03T00:00:00Z')
  await append(db, 'going', '2020-01-31T23:59:59.999Z')
  await append(db, 'going', '2020-02-01T00:00:00Z')
  await append(db, 'going', '2020-02-02T00:00:00Z')
  await db.transaction().execute((trx) => record(trx, { kind: 'command', chain: 'going' }))
}

function tryPrune(db: Db, options: Partial<PruneOptions> = {}) {
  return pruneAudit({ db, retentionDays: 30, signer, check, log: silentLog, ...options })
}

async function prune(db: Db, options: Partial<PruneOptions> = {}) {
  const pruned = await tryPrune(db, options)
  if (pruned.kind === 'busy') throw new Error('somebody else prunes')
  return pruned.months
}

async function asAttacker(db: Db, work: (trx: Db) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx)
    await work(trx)
  })
}

test('AUD-02 AUD-03 months behind a checkpoint are dropped whole, and the rest proves where it goes on', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await sign(db)
  expect(await prune(db, { isTrial: true })).toHaveLength(2)
  expect((await verifyChains(db, check)).rows).toBe(6)
  expect(await prune(db)).toEqual([
    { kind: 'dropped', before: new Date('2020-02-01T00:00:00Z'), rows: 3, chains: 2 },
    { kind: 'dropped', before: new Date('2020-03-01T00:00:00Z'), rows: 2, chains: 1 },
  ])
  const left = await db.selectFrom('audit_log').select(['chain', 'seq']).execute()
  expect(left).toEqual([{ chain: 'going', seq: 4 }])
  await db.transaction().execute((trx) => record(trx, { kind: 'command', chain: 'going' }))
  expect(await verifyChains(db, check)).toEqual({
    chains: 2,
    rows: 2,
    checkpoints: 1,
    cuts: 2,
    broken: [],
  })
  expect(await prune(db)).toEqual([])
})

test('AUD-03 nothing is dropped that is younger, and nothing at all with 0 days', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await sign(db)
  expect(await prune(db, { retentionDays: 36_500 })).toEqual([])
  expect(await prune(db, { retentionDays: 0 })).toEqual([])
  expect((await verifyChains(db, check)).rows).toBe(6)
})

test('AUD-02 a month without a checkpoint behind each of its rows is kept, and so are those after it', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  const why = expect.stringContaining('no signed checkpoint covers row 2 of chain ended')
  expect(await prune(db)).toEqual([{ kind: 'kept', before: new Date('2020-02-01T00:00:00Z'), why }])
  const notKnown = canonicalJson({
    heads: await db.selectFrom('audit_head').select(['chain', 'seq', 'hash']).execute(),
  })
  const unknown = { at: new Date(), body: notKnown, kid: 'another', signature: 'any' }
  await db.insertInto('audit_checkpoint').values(unknown).execute()
  expect(await prune(db)).toMatchObject([{ kind: 'kept', why }])
  expect((await verifyChains(db, check)).rows).toBe(6)
})

test('AUD-02 a month is kept whose chains do not hold: what shows it is not thrown away', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await sign(db)
  await asAttacker(db, (trx) =>
    sql`update audit_log set tool = 'x' where chain = 'ended'`.execute(trx),
  )
  expect(await prune(db)).toMatchObject([
    { kind: 'kept', why: expect.stringMatching(/^chain ended, row 1: its columns/) },
  ])
})

test('AUD-03 a month that somebody reads for long is kept for the next time', async () => {
  await using database = await createTestDatabase()
  const { db, pool } = database
  await old(db)
  await sign(db)
  const reader = await pool.connect()
  try {
    await reader.query('begin; select count(*) from audit_log')
    const [month] = await prune(db)
    expect(month).toMatchObject({
      kind: 'kept',
      why: expect.stringContaining('long-running reader'),
    })
    // Nobody who writes waits for it any more.
    await append(db, 'going', new Date().toISOString())
  } finally {
    await reader.query('rollback')
    reader.release()
  }
  expect(await prune(db)).toMatchObject([{ kind: 'dropped' }, { kind: 'dropped' }])
  expect((await verifyChains(db, check)).broken).toEqual([])
}, 120_000)

test('AUD-03 of two that prune at once one does, and the other leaves it alone', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await sign(db)
  const both = await Promise.all([tryPrune(db), tryPrune(db)])
  const months = both.flatMap((pruned) => (pruned.kind === 'pruned' ? pruned.months : []))
  expect(months.filter(({ kind }) => kind === 'dropped')).toHaveLength(2)
  expect((await verifyChains(db, check)).broken).toEqual([])
})

test('AUD-03 who prunes while somebody holds that lock is told so', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await sign(db)
  await db.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(hashtext('audit retention'))`.execute(holder)
    expect(await tryPrune(db)).toEqual({ kind: 'busy' })
  })
  expect(await prune(db)).toHaveLength(2)
})

test('AUD-02 AUD-03 a function in the schema that goes better with a call than PostgreSQL’s own is not run by the owner', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await sign(db)
  for (const name of ['pg_advisory_xact_lock', 'pg_try_advisory_xact_lock']) {
    await sql`
      create function ${sql.table(`public.${name}`)}(key integer) returns boolean
      language plpgsql as $$ begin raise exception 'run as %', current_user; end $$`.execute(db)
  }
  await sql`
    create function public.hashtextextended(text, integer) returns bigint
    language plpgsql as $$ begin raise exception 'run as %', current_user; end $$`.execute(db)
  expect(await prune(db)).toHaveLength(2)
  await db.transaction().execute(async (trx) => {
    await lockByName(trx, 'any')
    expect(await tryLock(trx, 'any')).toBe(true)
  })
})

test('AUD-03 a row at a time that cannot be true stops no retention', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await append(db, 'odd', '1970-01-01T00:00:00Z')
  await sign(db)
  expect(await prune(db)).toMatchObject([{ kind: 'dropped' }, { kind: 'dropped' }])
  expect((await verifyChains(db, check)).broken).toEqual([])
  const { rows } = await sql`select chain from audit_log_default`.execute(db)
  expect(rows).toEqual([{ chain: 'odd' }])
})

test('AUD-02 AUD-03 a checkpoint that anybody put in who can add to the audit stops no retention; verify names it', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  const heads = () => db.selectFrom('audit_head').select(['chain', 'seq', 'hash']).execute()
  const rows = db.selectFrom('audit_log').select(['chain', 'seq', 'hash'])
  const at = new Date().toISOString()
  const body = canonicalJson({ at, heads: await rows.where('seq', '=', 1).execute() })
  await sign(db)
  await db.transaction().execute((trx) => record(trx, { kind: 'command', chain: 'going' }))
  // An old true one once more, one of a known key with any signature, and one of a key that nobody knows.
  await putCheckpoint(db, { body, signature: signer.signText(body) })
  expect((await verifyChains(db, check)).broken).toEqual([])
  await putCheckpoint(db, { body: canonicalJson({ heads: await heads() }), signature: 'any' })
  const far = { chain: 'going', seq: 9_000_000, hash: 'x' }
  const later = new Date(Date.now() + 86_400_000).toISOString()
  const unknown = canonicalJson({ at: later, heads: [far] })
  await putCheckpoint(db, { body: unknown, signature: 'any', kid: 'another' })
  const broken = [{ chain: 'checkpoint', seq: 3, why: 'the signature is wrong' }]
  expect((await verifyChains(db, check)).broken).toEqual(broken)
  expect(await prune(db)).toMatchObject([{ kind: 'dropped' }, { kind: 'dropped' }])
  expect((await verifyChains(db, check)).broken).toEqual(broken)
})

test('AUD-02 two checkpoints that signed different rows at one place are told, and their chain is kept', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  const body = canonicalJson({ heads: [{ chain: 'ended', seq: 2, hash: 'another' }] })
  await putCheckpoint(db, { body, signature: signer.signText(body) })
  await sign(db)
  const why = 'two checkpoints signed different rows here'
  expect((await verifyChains(db, check)).broken).toContainEqual({ chain: 'ended', seq: 2, why })
  expect(await prune(db)).toMatchObject([{ kind: 'kept', why: `chain ended, row 2: ${why}` }])
})

async function putCheckpoint(
  db: Db,
  row: { body: string; signature: string; kid?: string },
): Promise<void> {
  await db
    .insertInto('audit_checkpoint')
    .values({ at: new Date(), kid: 'k', ...row })
    .execute()
}

const attacks: readonly (readonly [string, (db: Db) => Promise<unknown>, object])[] = [
  [
    'a month that was dropped without a record',
    (db) => sql`drop table audit_log_2020_01`.execute(db),
    { chain: 'going', seq: 1, why: 'row 1 is missing' },
  ],
  [
    'a record that is not signed',
    async (db) => {
      await forgeCut(db, 'k', 'nothing')
      await sql`drop table audit_log_2020_01`.execute(db)
    },
    { chain: 'cut', seq: 1, why: 'the signature is wrong' },
  ],
  [
    'a record of a key that nobody knows',
    async (db) => {
      await forgeCut(db, 'mine', 'any')
      await sql`drop table audit_log_2020_01`.execute(db)
    },
    { chain: 'cut', seq: 1, why: 'its key mine is not known here' },
  ],
  [
    'a record that was removed',
    async (db) => {
      await prune(db)
      await asAttacker(db, (trx) => sql`delete from audit_cut`.execute(trx))
    },
    { chain: 'ended', seq: 1, why: 'rows were cut off at the end' },
  ],
  [
    'more that was dropped than the record says',
    async (db) => {
      await prune(db)
      await append(db, 'going', new Date().toISOString())
      await asAttacker(db, (trx) => sql`delete from audit_log where seq = 4`.execute(trx))
    },
    { chain: 'going', seq: 4, why: 'row 4 is missing' },
  ],
  [
    'a row that stands where one was dropped',
    async (db) => {
      await prune(db)
      await putIn(db, 2)
    },
    { chain: 'going', seq: 2, why: expect.stringContaining('no row is to be') },
  ],
  [
    'a second row at one place',
    (db) => putIn(db, 6),
    { chain: 'going', seq: 6, why: expect.anything() },
  ],
  [
    'a row before the first',
    (db) => putIn(db, 0),
    { chain: 'going', seq: 0, why: expect.stringContaining('no row is to be') },
  ],
]

async function forgeCut(db: Db, kid: string, signature: string): Promise<void> {
  const heads = await db.selectFrom('audit_log').select(['chain', 'seq', 'hash']).execute()
  const chains = heads.filter(({ seq, chain }) => (chain === 'ended' ? seq === 2 : seq === 1))
  const time = new Date().toISOString()
  const body = canonicalJson({ at: time, before: time, rows: 3, chains })
  await db.insertInto('audit_cut').values({ at: new Date(), body, kid, signature }).execute()
}

/** What the app's own rights allow: an insert past the head. */
async function putIn(db: Db, seq: number): Promise<void> {
  const row = { chain: 'going', seq, previous_hash: '', hash: 'h', at: new Date(), kind: 'command' }
  await db
    .insertInto('audit_log')
    .values({ ...row, body: '{}' } as never)
    .execute()
}

test.each(attacks)('AUD-02 verify tells %s', async (_name, attack, expected) => {
  await using database = await createTestDatabase()
  const { db } = database
  await old(db)
  await append(db, 'going', new Date().toISOString())
  await append(db, 'going', new Date().toISOString())
  await sign(db)
  await attack(db)
  expect((await verifyChains(db, check)).broken).toContainEqual(expected)
})
