import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parsePairing } from '../../../src/core/inbox/pairing/pairing-code.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest } from '../../../src/db/migrate.ts'
import { saveCaller, savePairedRole } from '../../../src/db/people/callers.ts'
import { pinUsername } from '../../../src/db/people/username-pins.ts'
import type { Db, Schema } from '../../../src/db/schema.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { silentLog } from '../../../src/util/log.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { createTelegram } from '../../support/telegram/telegram.ts'
import { type Ended, runProgram, toDatabaseUrl } from '../run-program.ts'

interface Place extends AsyncDisposable {
  readonly cwd: string
  readonly database: TestDatabase
  readonly db: Db
  pair(...args: readonly string[]): Promise<Ended>
  /** Runs with additional environment. */
  pairWith(more: Readonly<Record<string, string>>): Promise<Ended>
  configure(toml: string): Promise<void>
}

async function createPlace(): Promise<Place> {
  const directory = await temporaryDirectory()
  const database = await createTestDatabase()
  const cwd = directory.path
  const environment = { DATABASE_URL: toDatabaseUrl(database.connection), USER: 'olga' }
  return {
    cwd,
    database,
    db: database.db,
    pair: (...args) => runProgram(['pair', ...args], { cwd, environment }),
    pairWith: (more) => runProgram(['pair'], { cwd, environment: { ...environment, ...more } }),
    configure: (toml) => writeFile(join(cwd, 'countersign.toml'), toml),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

async function notes(db: Db): Promise<readonly unknown[]> {
  const rows = await auditRows(db)
  return rows.map(({ chain, kind, caller_id, body }) => [
    `${chain} ${kind} ${caller_id}`,
    JSON.parse(body).note,
  ])
}

async function minutesOf(db: Db): Promise<readonly unknown[]> {
  const rows = await db.selectFrom('pairing_code').selectAll().orderBy('created_at').execute()
  return rows.map(({ role, created_at, expires_at, used_at }) => [
    role,
    (expires_at.getTime() - created_at.getTime()) / 60_000,
    used_at,
  ])
}

describe('pair', () => {
  test('CHAT-01 prints a code alone, what to do with it beside, and keeps a digest', async () => {
    await using place = await createPlace()
    const { exitCode, stdout, stderr } = await place.pair()
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{5}\n$/)
    expect(stderr).toMatch(/within 10 minutes \(until \d\d:\d\d UTC\)/)
    expect(stderr).toContain('role: user')
    const code = stdout.trim()
    expect(stderr).not.toContain(code)
    const parsed = parsePairing(code)
    if (parsed?.kind !== 'code') throw new Error(`${code} is not taken for a code`)
    const rows = await place.db.selectFrom('pairing_code').selectAll().execute()
    expect(rows).toMatchObject([{ code_sha256: sha256(parsed.symbols), used_by: null }])
    expect(await minutesOf(place.db)).toEqual([['user', 10, null]])
    const [[who, note] = []] = (await notes(place.db)) as string[][]
    expect(who).toBe('system command console:olga')
    expect(note).toMatch(/^made a pairing code for the role user, .* 10 min$/)
    expect(note).not.toContain(code)
  })

  test('CHAT-01 names the link that brings the code to the bot, where a token is and Telegram answers', async () => {
    await using place = await createPlace()
    await using telegram = await createTelegram()
    const more = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.url }
    const { exitCode, stdout, stderr } = await place.pairWith(more)
    expect(exitCode).toBe(0)
    expect(stderr).toContain(`\nhttps://t.me/${telegram.bot.username}?start=${stdout.trim()}\n`)
    expect(stderr).not.toContain('warning')
    expect(parsePairing(`/start ${stdout.trim()}`)?.kind).toBe('code')
    expect(stderr).not.toContain(telegram.token)
  })

  test('CHAT-01 gives the code all the same when Telegram is silent, refuses the token, or there is none', async () => {
    await using place = await createPlace()
    await using telegram = await createTelegram()
    telegram.failNext('getMe', { kind: 'hang' })
    const root = { TELEGRAM_API_ROOT: telegram.url }
    const silent = await place.pairWith({ ...root, TELEGRAM_BOT_TOKEN: telegram.token })
    const other = '123456789:AAE-some_other_token-0123456789abcdef'
    const refused = await place.pairWith({ ...root, TELEGRAM_BOT_TOKEN: other })
    const none = await place.pair()
    for (const { exitCode, stdout, stderr } of [silent, refused, none]) {
      expect(exitCode).toBe(0)
      expect(stdout).toMatch(/^\w{4}-\w{4}-\w{5}\n$/)
      expect(stderr).toContain('Then they may talk to this bot (role: user).')
      expect(stderr).not.toMatch(/t\.me|AAE/)
    }
    expect(silent.stderr).not.toContain('warning')
    expect(refused.stderr).toContain('warning: Telegram refused the bot token')
    expect(none.stderr).toContain(
      'warning: no TELEGRAM_BOT_TOKEN here: the code works wherever this database is served',
    )
  })

  test('CHAT-01 takes role and minutes, and no two codes are the same', async () => {
    await using place = await createPlace()
    const one = await place.pair('--role', 'operator', '--minutes', '60')
    const two = await place.pair('--minutes', '1')
    expect(one.stderr).toMatch(/within 60 minutes .*role: operator/s)
    expect(two.stderr).toContain('within 1 minute (')
    expect(one.stdout).not.toBe(two.stdout)
    expect(await minutesOf(place.db)).toEqual([
      ['operator', 60, null],
      ['user', 1, null],
    ])
  })

  test.each([
    [['--role', 'king']],
    [['--minutes', '0']],
    [['--minutes', '61']],
    [['--minutes', '1.5']],
    [['--minutes', 'ten']],
    [['revoke']],
    [['list', 'extra']],
    [['extra']],
  ])('CLI-01 pair %j exits with 2 and prints nothing', async (args) => {
    await using directory = await temporaryDirectory()
    const { exitCode, stdout, stderr } = await runProgram(['pair', ...args], {
      cwd: directory.path,
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^error\[[A-Z_]+\]: .+\n/)
    expect(stderr).not.toMatch(/\n +at /)
  })

  test.each([[['pair']], [['pair', 'list']], [['pair', 'revoke']]])(
    'CLI-01 %j --help says what it does, with examples',
    async (args) => {
      await using directory = await temporaryDirectory()
      const run = { cwd: directory.path }
      const { exitCode, stdout } = await runProgram([...args, '--help'], run)
      expect(exitCode).toBe(0)
      expect(stdout).toContain(`Usage: countersign ${args.join(' ')}`)
      expect(stdout).toMatch(/\$ npx countersign pair/)
    },
  )

  test('CHAT-01 drops codes and tries that are over since a day, and no others', async () => {
    await using place = await createPlace()
    const { pool } = place.database
    await pool.query(`insert into pairing_code (code_sha256, role, expires_at) values
      ('old', 'user', now() - interval '25 hours'), ('late', 'user', now() - interval '1 hour')`)
    await pool.query(`insert into pairing_try (caller_id, at) values
      ('telegram:1', now() - interval '25 hours'), ('telegram:2', now() - interval '23 hours')`)
    await place.pair()
    const codes = await pool.query('select code_sha256 from pairing_code')
    const kept = codes.rows.map((row) => row.code_sha256)
    expect(kept).toHaveLength(2)
    expect(kept).toContain('late')
    const tries = await pool.query('select caller_id from pairing_try')
    expect(tries.rows).toEqual([{ caller_id: 'telegram:2' }])
  })

  test('CHAT-01 warns while too many tries failed for any code to be looked at', async () => {
    await using place = await createPlace()
    const fail = (count: number) =>
      place.database.pool.query(
        `insert into pairing_try (caller_id) select 'telegram:1' from generate_series(1, ${count})`,
      )
    await fail(49)
    expect((await place.pair()).stderr).not.toContain('warning: 50 codes')
    await fail(1)
    expect((await place.pair()).stderr).toContain('warning: 50 codes')
  })
})

describe('pair list', () => {
  test('CHAT-01 says that nobody may talk yet, and how to change that', async () => {
    await using place = await createPlace()
    await saveCaller(place.db, { id: 'console:olga', name: 'olga', role: 'operator' })
    await saveCaller(place.db, { id: 'telegram:9', name: 'Gone', role: 'operator' })
    expect(await place.pair('list')).toEqual({
      exitCode: 0,
      stdout:
        'Nobody may talk to the bot yet. countersign pair lets somebody in.\n\nNo code is open.\n',
      stderr: '',
    })
  })

  test('CHAT-01 shows everybody with a role and where it comes from, and open codes without the code', async () => {
    await using place = await createPlace()
    await place.configure(
      '[telegram]\nallowed_users = [42, "carol", "@Dan", "unseen"]\napprovers = ["carol"]\n',
    )
    const { db } = place
    await saveCaller(db, { id: 'telegram:42', name: 'Ada\u001b[2J', role: 'operator' })
    await savePairedRole(db, { id: 'telegram:42', name: 'Ada' }, 'operator')
    await savePairedRole(db, { id: 'telegram:43', name: 'Bob' }, 'approver')
    await pinUsername(db, 'telegram', 'carol', 'telegram:44')
    await pinUsername(db, 'telegram', 'dan', 'telegram:45')
    const { stdout: code } = await place.pair('--role', 'approver')
    await place.database.pool.query(`insert into pairing_code values
      ('over', 'user', now(), now(), null, null),
      ('used', 'user', now(), now() + interval '1 hour', 'telegram:43', now())`)
    const { exitCode, stdout, stderr } = await place.pair('list')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const day = String.raw`\d{4}-\d\d-\d\d`
    const lines = stdout.trimEnd().split('\n')
    const patterns = [
      /^CALLER +NAME +ROLE +FROM +SINCE$/,
      new RegExp(
        `^telegram:42 +Ada␛\\[2J +operator +configuration \\(user\\), pairing \\(operator\\) +${day}$`,
      ),
      new RegExp(`^telegram:43 +Bob +approver +pairing +${day}$`),
      /^telegram:44 +- +approver +configuration +not seen yet$/,
      /^telegram:45 +- +user +configuration +not seen yet$/,
      /^telegram:@unseen +- +user +configuration +not seen yet$/,
      /^$/,
      /^Open codes:$/,
      new RegExp(`^ +approver +until ${day} \\d\\d:\\d\\d UTC$`),
    ]
    expect(lines).toHaveLength(patterns.length)
    for (const [index, pattern] of patterns.entries()) expect(lines[index]).toMatch(pattern)
    expect(stdout).not.toContain(code.trim())
    const json = await place.pair('list', '--json')
    expect(json.stdout.trimEnd()).not.toMatch(/[\n\p{Cc}]/u)
    const view = JSON.parse(json.stdout)
    expect(view.people.map(({ id }: { id: string }) => id)).toEqual([
      'telegram:42',
      'telegram:43',
      'telegram:44',
      'telegram:45',
      'telegram:@unseen',
    ])
    expect(view.people[0]).toMatchObject({
      name: 'Ada\u001b[2J',
      role: 'operator',
      configured: 'user',
      paired: 'operator',
    })
    expect(view.openCodes).toHaveLength(1)
    expect(json.stdout).not.toContain(code.trim())
  })
})

describe('pair revoke', () => {
  test('CHAT-01 takes away what a code gave, with a row in the audit', async () => {
    await using place = await createPlace()
    await savePairedRole(place.db, { id: 'telegram:42', name: 'Ada' }, 'operator')
    const { exitCode, stdout, stderr } = await place.pair('revoke', 'telegram:42')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^telegram:42 \(Ada\) is no longer operator by pairing\.\nThey may not/)
    expect(await place.db.selectFrom('caller').selectAll().execute()).toMatchObject([
      { id: 'telegram:42', role: 'user', paired_role: null },
    ])
    expect(await notes(place.db)).toEqual([
      ['system command console:olga', 'revoked the role operator that telegram:42 had by pairing'],
    ])
    expect((await place.pair('list')).stdout).toMatch(/^Nobody may talk/)
  })

  test('CHAT-01 says when the configuration still gives a role, by id or username', async () => {
    await using place = await createPlace()
    await place.configure('[telegram]\nallowed_users = ["ada_l"]\napprovers = [43]\n')
    await pinUsername(place.db, 'telegram', 'ada_l', 'telegram:42')
    for (const id of ['telegram:42', 'telegram:43']) {
      await savePairedRole(place.db, { id, name: 'A' }, 'operator')
    }
    const ada = await place.pair('revoke', 'telegram:42')
    expect(ada.stdout).toContain('The configuration still gives them the role user')
    const bob = await place.pair('revoke', 'telegram:43')
    expect(bob.stdout).toContain('The configuration still gives them the role approver')
    const roles = await place.db.selectFrom('caller').select('role').orderBy('id').execute()
    expect(roles.map(({ role }) => role)).toEqual(['user', 'approver'])
  })

  test('CHAT-01 of somebody without such a role fails, says why, and records nothing', async () => {
    await using place = await createPlace()
    await place.configure('[telegram]\nallowed_users = [42]\n')
    for (const [id, why] of [
      ['telegram:42', 'the configuration gives the role user'],
      ['telegram:99', 'countersign pair list'],
      ['Ada\u001b[2J', 'countersign pair list'],
    ] as const) {
      const { exitCode, stdout, stderr } = await place.pair('revoke', id)
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr).toMatch(/^error\[[A-Z_]+\]: .+\n$/)
      expect(stderr).toContain(why)
      expect(stderr).not.toContain('\u001b')
    }
    expect(await notes(place.db)).toEqual([])
  })
})

describe('the database', () => {
  test('STORE-01 DECISION-10 pair works beside a running product and without, and makes no database', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const dataDir = join(cwd, 'data')
    const none = await runProgram(['pair'], { cwd })
    expect(none).toMatchObject({ exitCode: 1, stdout: '' })
    expect(none.stderr).toMatch(/^error\[NO_DATABASE\]: there is no database in .+ yet: .+\n$/)
    expect(await readdir(cwd)).toEqual([])
    {
      await using postgres = await startEmbeddedPostgres({ dataDir, log: silentLog })
      await using database = openDatabase<Schema>(postgres.connection)
      await migrateToLatest(database.db)
      expect((await runProgram(['pair'], { cwd })).exitCode).toBe(0)
      expect(await minutesOf(database.db)).toEqual([['user', 10, null]])
    }
    const alone = await runProgram(['pair', '--role', 'approver'], { cwd })
    expect(alone.exitCode).toBe(0)
    const listed = await runProgram(['pair', 'list'], { cwd })
    expect(listed.stdout).toMatch(/Open codes:\n {2}user .*\n {2}approver /)
    expect(await readdir(dataDir)).not.toContain('run.json')
  })
})
