import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest, migrationNames } from '../../../src/db/migrate.ts'
import type { Schema } from '../../../src/db/schema.ts'
import { silentLog } from '../../../src/util/log.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createEmptyDatabase } from '../../support/database/database.ts'
import { recordedSession } from '../gate/recorded-calls.ts'
import { runProgram, startProgram, toDatabaseUrl } from '../run-program.ts'

describe('migrate', () => {
  test('STORE-03 migrate prints the steps it took, then that nothing is left', async () => {
    await using directory = await temporaryDirectory()
    await using database = await createEmptyDatabase()
    const cwd = directory.path
    const environment = { DATABASE_URL: toDatabaseUrl(database.connection) }
    const first = await runProgram(['migrate'], { cwd, environment })
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    const steps = await migrationNames()
    expect(first.stdout).toBe(steps.map((step) => `done: ${step}\n`).join(''))
    const second = await runProgram(['migrate'], { cwd, environment })
    expect(second).toEqual({ exitCode: 0, stdout: 'the database is up to date\n', stderr: '' })
  })

  test('CLI-01 a database without tables is told to be migrated', async () => {
    await using directory = await temporaryDirectory()
    await using database = await createEmptyDatabase()
    const environment = { DATABASE_URL: toDatabaseUrl(database.connection) }
    for (const args of [['audit'], ['audit', 'verify']]) {
      const { exitCode, stderr } = await runProgram(args, { cwd: directory.path, environment })
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(
        /^error\[DATABASE_OUTDATED\]: .*run countersign migrate as the owner of the database\n$/,
      )
    }
  })
})

describe('the embedded database while nothing runs', () => {
  test('STORE-01 commands start it for as long as they need it', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const none = await runProgram(['audit'], { cwd })
    expect(none.exitCode).toBe(1)
    expect(none.stderr).toMatch(/^error\[NO_DATABASE\]: there is no database in .+ yet: .+\n$/)
    expect(await readdir(cwd)).toEqual([])
    expect((await runProgram(['migrate'], { cwd })).exitCode).toBe(0)
    const verified = await runProgram(['audit', 'verify'], { cwd })
    expect(verified.stdout).toBe('ok: 0 rows in 0 chains, 0 checkpoints\n')
    const url = await runProgram(['db', 'url'], { cwd })
    expect(url).toMatchObject({ exitCode: 1, stdout: '' })
    expect(url.stderr).toMatch(/^error\[NOT_RUNNING\]: no database is running in .+\n$/)
    expect(await readdir(join(cwd, 'data'))).not.toContain('run.json')
    // The directory is not locked any more.
    await using _ = await startEmbeddedPostgres({ dataDir: join(cwd, 'data'), log: silentLog })
  })

  test('CLI-01 Ctrl-C stops what the command started', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await runProgram(['migrate'], { cwd })
    const program = startProgram(['audit', '--follow', '--csv'], { cwd })
    await vi.waitFor(() => expect(program.stdout()).toContain('caller_id'), { timeout: 30_000 })
    const run = JSON.parse(await readFile(join(cwd, 'data', 'run.json'), 'utf8')) as { pid: number }
    program.child.kill('SIGINT')
    expect((await program.ended).exitCode).toBe(0)
    expect(() => process.kill(run.pid, 0)).toThrow('ESRCH')
  })
})

describe('the embedded database under a running product', () => {
  test('STORE-01 DECISION-10 commands use it as it is: no lock, no migration, and it goes on running', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await using postgres = await startEmbeddedPostgres({
      dataDir: join(cwd, 'data'),
      log: silentLog,
    })
    const older = await runProgram(['migrate'], { cwd })
    expect(older.exitCode).toBe(1)
    expect(older.stderr).toMatch(
      /^error\[ALREADY_RUNNING\]: Countersign is running in .+ with an older version: .+\n$/,
    )
    await using database = openDatabase<Schema>(postgres.connection)
    await migrateToLatest(database.db)
    await recordedSession(database.db).call({ tool: 'grep' })
    const listed = await runProgram(['audit'], { cwd })
    expect(listed.stdout).toMatch(/grep +allow +success/)
    expect((await runProgram(['audit', 'verify'], { cwd })).exitCode).toBe(0)
    expect((await runProgram(['migrate'], { cwd })).stdout).toBe('the database is up to date\n')
    const { rows } = await database.pool.query('select 1 as one')
    expect(rows).toEqual([{ one: 1 }])
  })

  test('CLI-01 db url prints an address that tools can use', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await using _ = await startEmbeddedPostgres({ dataDir: join(cwd, 'data'), log: silentLog })
    const { exitCode, stdout, stderr } = await runProgram(['db', 'url'], { cwd })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    await using database = openDatabase({ url: stdout.trim() })
    const { rows } = await database.pool.query('select current_database() as name')
    expect(rows).toEqual([{ name: 'countersign' }])
  })

  test('CONF-02 db url never prints the password of DATABASE_URL', async () => {
    await using directory = await temporaryDirectory()
    const environment = { DATABASE_URL: 'postgres://ada:hunter22hunter@127.0.0.1:1/none' }
    const { exitCode, stdout, stderr } = await runProgram(['db', 'url'], {
      cwd: directory.path,
      environment,
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('DATABASE_URL')
    expect(stderr).not.toContain('hunter')
  })
})
