import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openStore } from '../../../src/app/open-store.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { openDatabase } from '../../../src/db/database.ts'
import type { Db, Schema } from '../../../src/db/schema.ts'
import { newId } from '../../../src/util/ids.ts'
import { silentLog } from '../../../src/util/log.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

const password = 'p%40ss-w0rd/of the app'

test('AUD-02 STORE-03 migrate makes the role that gateways and agents connect as; it takes no step and changes no row of the audit', async () => {
  await using place = await createPlace()
  expect(await place.migrate(place.appUrl(password))).toMatchObject({ exitCode: 0, stderr: '' })
  await using app = openDatabase<Schema>(place.asApp)
  const can = async (table: string, right: string) =>
    (
      await sql<{ can: boolean }>`select has_table_privilege(${table}, ${right}) as can`.execute(
        app.db,
      )
    ).rows[0]?.can
  expect(await can('audit_log', 'insert')).toBe(true)
  expect(await can('tool_call', 'update')).toBe(true)
  for (const [table, rights] of [
    ['audit_log', 'update, delete, truncate'],
    ['audit_checkpoint', 'update, delete, truncate'],
    ['audit_cut', 'insert, update, delete, truncate'],
    ['kysely_migration', 'insert, update, delete, truncate'],
    ['kysely_migration_lock', 'insert, update, delete, truncate'],
  ] as const) {
    expect(await can(table, rights), table).toBe(false)
  }
  await expect(sql`create table mine (id int)`.execute(app.db)).rejects.toThrow('permission denied')
  expect(await place.migrate(place.appUrl(password))).toMatchObject({ exitCode: 0 })
})

test('STORE-02 CONF-02 the role gets its password, and another one by another run; no statement and no output holds it', async () => {
  await using place = await createPlace()
  for (const text of [password, 'another one, changed']) {
    const { exitCode, stdout, stderr } = await place.migrate(place.appUrl(text))
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'the database is up to date\n',
      stderr: '',
    })
    expect(isPassword(await place.storedPassword(), text)).toBe(true)
  }
  expect(isPassword(await place.storedPassword(), password)).toBe(false)
})

test('AUD-02 migrate refuses a role that could change the audit all the same, and leaves its password', async () => {
  await using place = await createPlace()
  const { db, connection } = place.database
  const owner = new URL(place.appUrl(password))
  owner.username = connection.user
  const asOwner = await place.migrate(owner.href)
  expect(asOwner).toMatchObject({ exitCode: 1, stdout: '' })
  expect(asOwner.stderr).toMatch(/could change the audit/)
  await sql`create role ${sql.id(place.role)} login noinherit`.execute(db)
  await sql`grant ${sql.id(connection.user)} to ${sql.id(place.role)}`.execute(db)
  expect((await place.migrate(place.appUrl(password))).stderr).toMatch(/belongs to such a role/)
  expect(await place.storedPassword()).toBeNull()
})

test.each([
  ['no user', 'postgresql://:secret-word@db/one'],
  ['no password', 'postgresql://app@db/one'],
  ['a % that stands for nothing', 'postgresql://app:secret-word%zz@db/one'],
  ['a % that stands for nothing in the user', 'postgresql://app%:secret-word@db/one'],
  ['a password that PostgreSQL would have to normalise', 'postgresql://app:pässwörd@db/one'],
])('CONF-02 migrate names what is wrong with an app’s URL with %s', async (_what, url) => {
  await using place = await createPlace()
  const { exitCode, stderr } = await place.migrate(url)
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(
    /^error\[DATABASE_ROLE\]: the role of COUNTERSIGN_APP_DATABASE_URL cannot be made: .+\n$/,
  )
  expect(stderr).not.toMatch(/secret-word|pässwörd/)
})

test('STORE-02 an owner without superuser makes the role; where it may not set a password, the one there is has to do', async () => {
  await using place = await createPlace()
  const { db } = place.database
  const owner = await place.handOver()
  expect(await place.migrate(place.appUrl(password), owner)).toMatchObject({
    exitCode: 0,
    stderr: '',
  })
  expect(isPassword(await place.storedPassword(), password)).toBe(true)
  await sql`alter role ${sql.id(owner)} nocreaterole`.execute(db)
  await sql`create table made_later (id int)`.execute(db)
  await sql`alter table made_later owner to ${sql.id(owner)}`.execute(db)
  const again = await place.migrate(place.appUrl('another'), owner)
  expect(again).toMatchObject({ exitCode: 0, stderr: '' })
  expect(isPassword(await place.storedPassword(), password)).toBe(true)
  await using app = openDatabase<Schema>(place.asApp)
  expect((await sql`select from made_later`.execute(app.db)).rows).toEqual([])
})

test('STORE-02 where it may not set a password and nobody can log in, migrate says so, and gives the rights', async () => {
  await using place = await createPlace()
  const { db } = place.database
  const owner = await place.handOver()
  await sql`alter role ${sql.id(owner)} nocreaterole`.execute(db)
  await sql`create role ${sql.id(place.role)} nologin`.execute(db)
  const { exitCode, stdout, stderr } = await place.migrate(place.appUrl(password), owner)
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toMatch(
    /^error\[DATABASE_ROLE\]: this role may not set the password of app_.*not permitted to log/,
  )
  expect(stderr).not.toContain(password)
  const { rows } = await sql`
    select has_table_privilege(${place.role}, 'turn', 'insert') as may`.execute(db)
  expect(rows).toEqual([{ may: true }])
})

test('AUD-02 migrate refuses a role that may create in the schema, where that is not the owner’s to change', async () => {
  await using place = await createPlace()
  const { db, connection } = place.database
  const owner = await place.handOver()
  // As PostgreSQL was up to version 14: the schema is the superuser's.
  await sql`alter schema public owner to ${sql.id(connection.user)}`.execute(db)
  await sql`grant create on schema public to public`.execute(db)
  const refused = await place.migrate(place.appUrl(password), owner)
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
  expect(refused.stderr).toMatch(/could change the audit.*: it may create in the schema/)
  expect(await place.storedPassword()).toBeNull()
  await sql`revoke create on schema public from public`.execute(db)
  expect(await place.migrate(place.appUrl(password), owner)).toMatchObject({ exitCode: 0 })
})

test('STORE-02 as that role the product finds a database of its version, and says what is to be done about any other', async () => {
  await using place = await createPlace()
  await place.migrate(place.appUrl(password))
  const { db } = place.database
  {
    await using store = await place.open()
    expect((await sql`select 1 from audit_log`.execute(store.db)).rows).toEqual([])
  }
  await sql`insert into kysely_migration values ('29990101T000000-later', 'now')`.execute(db)
  await expect(place.open()).rejects.toThrow(/newer version.*29990101T000000-later/)
  await sql`delete from kysely_migration where name > '2'`.execute(db)
  await expect(place.open()).rejects.toThrow(
    /lacks \d+ steps.*run countersign migrate as its owner/,
  )
})

async function createPlace() {
  const resources = new AsyncDisposableStack()
  const directory = resources.use(await temporaryDirectory())
  const database = resources.use(await createTestDatabase())
  const role = `app_${newId().replaceAll('-', '').slice(-12)}`
  const { db, connection } = database
  const owner = `${role}_owner`
  // Roles belong to the server.
  resources.defer(async () => {
    for (const name of [role, owner]) {
      const found = await sql`select from pg_roles where rolname = ${name}`.execute(db)
      if (found.rows.length === 0) continue
      await sql`reassign owned by ${sql.id(name)} to ${sql.id(connection.user)}`.execute(db)
      await sql`drop owned by ${sql.id(name)}`.execute(db)
      await sql`drop role ${sql.id(name)}`.execute(db)
    }
  })
  const asApp = { ...connection, user: role }
  return {
    database,
    role,
    asApp,
    /** URL of the role with a percent-encoded password. */
    appUrl(text: string): string {
      const url = new URL(toDatabaseUrl(asApp))
      url.password = encodeURIComponent(text)
      return url.href
    },
    migrate: (appUrl: string, as = connection.user) =>
      runProgram(['migrate'], {
        cwd: directory.path,
        environment: {
          DATABASE_URL: toDatabaseUrl({ ...connection, user: as }),
          COUNTERSIGN_APP_DATABASE_URL: appUrl,
        },
      }),
    /** Gives the database and its contents to a role that may create roles and is no superuser. */
    async handOver(): Promise<string> {
      await sql`create role ${sql.id(owner)} login createrole`.execute(db)
      await sql`alter database ${sql.id(connection.database)} owner to ${sql.id(owner)}`.execute(db)
      await sql`grant create on schema public to ${sql.id(owner)}`.execute(db)
      await giveAway(db, owner)
      return owner
    },
    storedPassword: async () =>
      (
        await sql<{ stored: string | null }>`
          select rolpassword as stored from pg_authid where rolname = ${role}`.execute(db)
      ).rows[0]?.stored ?? null,
    open() {
      const environment = new Environment({ DATABASE_URL: toDatabaseUrl(asApp) })
      const loaded = loadConfig({ cwd: directory.path, environment })
      if (loaded.kind === 'invalid') throw new Error('a configuration that is none')
      return openStore(loaded.config, environment, silentLog)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function giveAway(db: Db, owner: string): Promise<void> {
  await sql`
    do $$
    declare thing record;
    begin
      for thing in
        select case when relkind = 'v' then 'view' else 'table' end as kind, oid::regclass::text as name
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
        union all
        select 'function', oid::regprocedure::text from pg_proc where pronamespace = 'public'::regnamespace
      loop
        execute format('alter %s %s owner to %I', thing.kind, thing.name, ${sql.lit(owner)});
      end loop;
    end $$`.execute(db)
}

/** Computes the RFC 5803 form with the stored salt. */
function isPassword(stored: string | null, text: string): boolean {
  const [, rounds = '', salt = '', key] =
    /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):/.exec(stored ?? '') ?? []
  const salted = pbkdf2Sync(text, Buffer.from(salt, 'base64'), Number(rounds), 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  return createHash('sha256').update(clientKey).digest('base64') === key
}
