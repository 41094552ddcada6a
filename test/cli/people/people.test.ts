import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { record } from '../../../src/core/audit/record.ts'
import { verifyChains } from '../../../src/core/audit/verify-chains.ts'
import { findAuditPeople } from '../../../src/db/audit/audit-people.ts'
import { resolveNames } from '../../../src/db/audit/audit-search.ts'
import { saveCaller, savePairedRole } from '../../../src/db/people/callers.ts'
import type { Db } from '../../../src/db/schema.ts'
import { findSummary, insertSummary } from '../../../src/db/turn/summaries.ts'
import { newId } from '../../../src/util/ids.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

const ada = 'test:ada'

/** Tables in which a text stands, in whatever column. */
async function tablesWith(db: Db, text: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by 1`.execute(db)
  const found: string[] = []
  for (const { name } of rows) {
    const hit = await sql`
      select from ${sql.table(name)} t where t::text like ${`%${text}%`} limit 1`.execute(db)
    if (hit.rows.length > 0) found.push(name)
  }
  return found
}

test('AUD-02 CLI-01 people forget deletes what is kept of a person; the audit keeps its rows, whole, without them', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const model = createScriptedModel([call('bash', { command: 'wc a' }), say('done'), say('Hello.')])
  await using bench = await createBenchContext(model)
  const { db, connection } = bench.database
  await savePairedRole(db, { id: ada, name: 'Ada' }, 'approver')
  await bench.say('count a')
  await bench.step()
  await bench.say('/approve')
  await bench.step()
  const environment = { DATABASE_URL: toDatabaseUrl(connection), USER: 'olga' }
  const people = (...args: readonly string[]) =>
    runProgram(['people', ...args], { cwd, environment })

  const busy = await people('forget', ada, '--yes')
  expect([busy.exitCode, busy.stderr]).toEqual([1, expect.stringContaining('/stop')])
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  await bench.result(row, { kind: 'succeeded', output: 'fine' })
  await bench.step()
  const exported = await people('export', ada)
  const kinds = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind)
  expect(new Set(kinds)).toEqual(
    new Set([
      'account',
      'answer',
      'approval',
      'audit',
      'call',
      'message',
      'received',
      'turn',
      'usage',
    ]),
  )
  expect(exported.stdout).toContain('count a')
  const { conversation_id: conversation } = await db
    .selectFrom('session')
    .select('conversation_id')
    .executeTakeFirstOrThrow()
  const workspace = join(cwd, 'data', 'workspaces', conversation)
  await mkdir(workspace, { recursive: true })
  await writeFile(join(workspace, 'a'), 'theirs')

  const said = await people('forget', ada)
  expect(said.stdout).toMatch(
    /^test:ada has 1 conversations, 1 turns, .*Nothing was deleted yet; add --yes to delete\./,
  )
  expect(await tablesWith(db, ada)).not.toEqual([])
  const done = await people('forget', ada, '--yes')
  expect([done.exitCode, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toContain(`workspaces/${conversation}`)
  expect(existsSync(workspace)).toBe(false)
  expect(await tablesWith(db, ada)).toEqual([])
  expect(await tablesWith(db, 'count a')).toEqual([])
  const rows = await auditRows(db)
  expect(rows.map(({ kind }) => kind)).toEqual(['decided', 'settled', 'command'])
  expect(rows[0]?.caller_id).toMatch(/^person:[0-9a-f]{40}$/)
  expect(rows[2]?.caller_id).toBe('console:olga')
  expect((await verifyChains(db, () => true)).broken).toEqual([])

  await bench.say('hi again')
  await bench.step()
  expect((await people('export', ada)).stdout).not.toContain('count a')
}, 240_000)

test('AUD-02 what somebody did in a conversation of others goes, and theirs stays', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const model = createScriptedModel([say('To Ada.'), say('To Bob.')])
  await using bench = await createBenchContext(model)
  const { db, connection } = bench.database
  const bob = { id: 'test:bob', name: 'Bob', role: 'user' } as const
  await bench.say('of ada')
  await bench.step()
  await bench.say('of bob', bob)
  await bench.step()
  const { id, session_id } = await db
    .selectFrom('turn')
    .select(['id', 'session_id'])
    .where('caller_id', '=', bob.id)
    .executeTakeFirstOrThrow()
  await insertSummary(db, {
    ...{ id: newId(), session_id, turn_id: id, from_position: 1, to_position: 2 },
    ...{ summary: 'Ada wrote.', body: 'Ada wrote.', turns: 1, messages: 1 },
    ...{ authors: '["Ada"]', is_dropped: false },
  })
  const environment = { DATABASE_URL: toDatabaseUrl(connection), USER: 'olga' }
  const done = await runProgram(['people', 'forget', ada, '--yes'], { cwd, environment })
  expect(done.stdout).toContain('0 conversations, 1 turns, 1 messages')
  expect(await findSummary(db, session_id)).toBeUndefined()
  const messages = await db.selectFrom('message').select('body').orderBy('position').execute()
  const text = JSON.stringify(messages)
  expect(text).toContain('of bob')
  expect(text).not.toContain('of ada')
  expect(await tablesWith(db, ada)).toEqual([])
}, 240_000)

test('AUD-02 people forget hides the account and username in the product’s own words, and counts the rows of others’ text that still name them', async () => {
  await using directory = await temporaryDirectory()
  const model = createScriptedModel([say('To Ada.'), say('To Bob.')])
  await using bench = await createBenchContext(model)
  const { db, connection } = bench.database
  const bob = { id: 'test:bob', name: 'Bob', role: 'user' } as const
  await bench.say('of ada')
  await bench.step()
  await bench.say('Ada, or @ada.l, is test:ada; not test:adam, @ada.lo or Adam', bob)
  await bench.step()
  await sql`insert into username_pin (platform, username, caller_id) values ('test', 'ada.l', ${ada})`.execute(
    db,
  )
  const { id } = await db.selectFrom('conversation').select('id').executeTakeFirstOrThrow()
  const body = JSON.stringify({
    kind: 'notice',
    text: 'By "test:ada" (@Ada.L), not test:adam.\n@ada.l, not test:ada-admin',
  })
  await sql`insert into outbox (conversation_id, body) values (${id}, ${body})`.execute(db)
  await db
    .transaction()
    .execute((trx) =>
      record(trx, { kind: 'command', chain: 'system', caller_id: bob.id, note: 'asked Ada' }),
    )
  const environment = { DATABASE_URL: toDatabaseUrl(connection), USER: 'olga' }
  const run = { cwd: directory.path, environment }
  const said = await runProgram(['people', 'forget', ada], run)
  expect(said.stdout).toMatch(/Not reached: .*log.*backups made before.*Telegram and Slack/)
  const done = await runProgram(['people', 'forget', ada, '--yes'], run)
  expect([done.exitCode, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toMatch(
    /still has .*: audit_log 1, inbound_event 1, message 1\.\nNot reached/,
  )
  const { rows } = await sql<{ body: string }>`
    select body from outbox where body like '{"kind":"notice"%By %'`.execute(db)
  expect(rows.map((row) => JSON.parse(row.body).text)).toEqual([
    expect.stringMatching(
      /^By "person:[0-9a-f]{40}" \(person:[0-9a-f]{40}\), not test:adam\.\nperson:[0-9a-f]{40}, not test:ada-admin$/,
    ),
  ])
  expect((await verifyChains(db, () => true)).broken).toEqual([])
}, 240_000)

test('AUD-02 a pseudonym that was given to somebody else, or deleted without a record, is named by verify', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await saveCaller(db, { id: ada, name: 'Ada', role: 'user' })
  for (const id of [ada, 'test:bob', 'test:eve']) {
    await db
      .transaction()
      .execute((trx) =>
        record(trx, { kind: 'command', chain: 'system', caller_id: id, note: `of ${ada}, too` }),
      )
  }
  const stored = await db.selectFrom('audit_log').selectAll().execute()
  expect(JSON.stringify(stored)).not.toContain('test:')
  expect(
    (await resolveNames(db, stored)).map(({ caller_id, body }) => [
      caller_id,
      JSON.parse(body).note,
    ]),
  ).toEqual([ada, 'test:bob', 'test:eve'].map((id) => [id, `of ${ada}, too`]))
  const people = await findAuditPeople(db, '', 10)
  const aliasOf = (id: string) => people.find(({ caller_id }) => caller_id === id)?.alias
  await sql`update audit_person set caller_id = 'test:mallory' where caller_id = 'test:bob'`.execute(
    db,
  )
  await sql`delete from audit_person where caller_id = 'test:eve'`.execute(db)
  const { broken } = await verifyChains(db, () => true)
  expect(broken).toEqual([
    { chain: aliasOf('test:bob'), seq: 0, why: expect.stringContaining('given to somebody else') },
    { chain: aliasOf('test:eve'), seq: 0, why: expect.stringContaining('no record') },
  ])
})

test('AUD-01 what only reads like an account stays as it is in a remark', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await saveCaller(db, { id: 'console:Jürgen', name: 'Jürgen', role: 'user' })
  const note = 'always, for console:Jürgen: npm run test:unit, api:build'
  await db.transaction().execute((trx) => record(trx, { kind: 'command', chain: 'system', note }))
  const { body } = await db.selectFrom('audit_log').select('body').executeTakeFirstOrThrow()
  expect(JSON.parse(body).note).toMatch(
    /^always, for person:[0-9a-f]{40}: npm run test:unit, api:build$/,
  )
  expect((await findAuditPeople(db, '', 10)).map(({ caller_id }) => caller_id)).toEqual([
    'console:Jürgen',
  ])
})
