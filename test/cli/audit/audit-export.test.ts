import { beforeAll, describe, expect, test } from 'vitest'
import { allCalls, newestCalls } from '../../../src/cli/audit/find-audited.ts'
import { presentEnd, wasSeen } from '../../../src/cli/audit/list-audit.ts'
import type { AuditFilter } from '../../../src/db/audit/audit-search.ts'
import type { Db } from '../../../src/db/schema.ts'
import { newId } from '../../../src/util/ids.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { recordedSession } from '../gate/recorded-calls.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

/** Inserts calls whose rows lie far apart, so that they fall on several pages. */
const scattered = (calls: number) => `
  insert into audit_log (chain, seq, previous_hash, hash, at, kind, call_id, tool, caller_id, verdict, body)
  select 'c', n * 2 + part, '', '', now() - interval '1 hour' + (n + part * ${calls}) * interval '1 ms',
    (array['decided', 'settled'])[part + 1], md5(n::text)::uuid, 'bash', 'test:' || n % 3,
    case part when 0 then 'allow' end, json_build_object('n', n)::text
  from generate_series(0, ${calls - 1}) n, generate_series(0, 1) part`

async function exported(db: Db, filter: AuditFilter = {}) {
  const parts: number[] = []
  const calls: string[] = []
  for await (const entries of allCalls(db, filter)) {
    parts.push(entries.length)
    for (const { lines } of entries) calls.push(`${lines[0]?.row.call_id}:${lines.length}`)
  }
  return { parts, calls }
}

test('AUD-04 an export has every call once and whole, the oldest first, and holds a few at a time', async () => {
  await using database = await createTestDatabase()
  const { db, pool } = database
  await pool.query(scattered(2_500))
  const session = recordedSession(db)
  await session.row({ kind: 'command', note: 'of no call' })
  const { rows } = await pool.query(
    `select md5(n::text)::uuid || ':2' as call from generate_series(0, 2499) n`,
  )
  const { calls, parts } = await exported(db)
  expect(calls.slice(0, -1)).toEqual(rows.map(({ call }) => call))
  expect(calls.at(-1)).toBe('null:1')
  expect(Math.max(...parts)).toBeLessThanOrEqual(200)
  expect((await exported(db, { caller: 'test:1' })).calls).toHaveLength(833)
  expect((await exported(db, { verdict: 'allow', tool: 'bash' })).calls).toHaveLength(2_500)
  expect((await exported(db, { tool: 'none' })).calls).toEqual([])
})

test('AUD-04 an export ends where it began, whatever is written meanwhile', async () => {
  await using database = await createTestDatabase()
  const { db, pool } = database
  await pool.query(scattered(1_200))
  const session = recordedSession(db)
  let calls = 0
  for await (const entries of allCalls(db, {})) {
    calls += entries.length
    await session.call()
  }
  expect(calls).toBe(1_200)
})

test('AUD-04 --csv and --json print all there is, a list the newest hundred, --limit what it says', async () => {
  await using database = await createTestDatabase()
  await using directory = await temporaryDirectory()
  await database.pool.query(scattered(250))
  const environment = { DATABASE_URL: toDatabaseUrl(database.connection) }
  const linesOf = async (...args: readonly string[]) => {
    const { stdout } = await runProgram(['audit', ...args], { cwd: directory.path, environment })
    return stdout.split('\n').length - 1
  }
  expect(await linesOf()).toBe(101)
  expect(await linesOf('--csv')).toBe(251)
  expect(await linesOf('--json')).toBe(500)
  expect(await linesOf('--csv', '--limit', '120')).toBe(121)
})

describe('how much is read', () => {
  const month = 'audit_log_2020_01'
  let ago: Date
  beforeAll(() => {
    ago = new Date(Date.now() - 3_600_000)
  })

  test('AUD-04 --since and --follow open no month before, which here nobody can', async () => {
    await using database = await createTestDatabase()
    const { db, pool } = database
    await pool.query(`select make_audit_partition('2020-01-01')`)
    await recordedSession(db).call({ caller_id: 'test:ada' })
    const holder = await pool.connect()
    try {
      await holder.query(`begin; lock table ${month} in access exclusive mode`)
      for (let times = 0; times < 4; times += 1) {
        expect(await newestCalls(db, { since: ago, caller: 'test:ada' }, 10)).toHaveLength(1)
        expect((await presentEnd(db)).seen.size).toBe(2)
      }
    } finally {
      await holder.query('rollback')
      holder.release()
    }
  }, 30_000)

  test('AUD-04 a row with a future time does not hide earlier rows', async () => {
    await using database = await createTestDatabase()
    const { db, pool } = database
    await pool.query(`
      insert into audit_log (chain, seq, previous_hash, hash, at, kind, body)
      values ('c', 1, '', '', now() + interval '900 years', 'command', '{}')`)
    const position = await presentEnd(db)
    await recordedSession(db).row({ kind: 'decided', call_id: newId() })
    const rows = await db.selectFrom('audit_log').select(['at', 'id']).orderBy('id').execute()
    expect(rows.map((row) => wasSeen(position, row))).toEqual([true, false])
  })
})
