import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { checkpoint } from '../../../src/core/audit/anchors.ts'
import type { CoreContext } from '../../../src/core/context.ts'
import type { Db } from '../../../src/db/schema.ts'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'
import { createSigner, type Signer } from '../../../src/rules/jobs/sign.ts'
import { silentLog } from '../../../src/util/log.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { recordedSession } from '../gate/recorded-calls.ts'
import { type Ended, runProgram, startProgram, toDatabaseUrl } from '../run-program.ts'

interface Place extends AsyncDisposable {
  readonly cwd: string
  readonly database: TestDatabase
  /** Returns the key of the data directory. */
  readonly signer: Signer
  verify(options?: { args?: readonly string[]; verifyKeysFile?: string }): Promise<Ended>
}

async function createPlace(): Promise<Place> {
  const directory = await temporaryDirectory()
  const database = await createTestDatabase()
  const cwd = directory.path
  const { privateKeyPem } = generateKeyPair()
  await mkdir(join(cwd, 'data', 'keys'), { recursive: true })
  await writeFile(join(cwd, 'data', 'keys', 'signing-key.pem'), privateKeyPem, { mode: 0o600 })
  const url = toDatabaseUrl(database.connection)
  return {
    cwd,
    database,
    signer: createSigner(privateKeyPem),
    verify: ({ args = [], verifyKeysFile = '' } = {}) =>
      runProgram(['audit', 'verify', ...args], {
        cwd,
        environment: { DATABASE_URL: url, COUNTERSIGN_VERIFY_KEYS_FILE: verifyKeysFile },
      }),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

/** Signs the heads as an agent does; returns what it wrote to its log. */
async function makeCheckpoint(db: Db, { kid, sign }: Signer): Promise<string> {
  const lines: string[] = []
  const log = {
    ...silentLog,
    info: (fields: object, msg: string) => lines.push(JSON.stringify({ ...fields, msg })),
  }
  const ctx = { db, log } as unknown as CoreContext
  await checkpoint(ctx, { kid, signText: sign })
  return `${lines.join('\n')}\n`
}

/** Connects as the owner of the server. */
async function tamper({ database }: Place, statement: string): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    await client.query(statement)
    await client.query('reset session_replication_role')
  } finally {
    client.release()
  }
}

async function twoCalls(place: Place): Promise<string> {
  const session = recordedSession(place.database.db)
  await session.call()
  await session.call({ tool: 'read' })
  return session.id
}

describe('a whole audit', () => {
  test('AUD-02 audit verify reports how much it checked, and exits with 0', async () => {
    await using place = await createPlace()
    expect((await place.verify()).stdout).toBe('ok: 0 rows in 0 chains, 0 checkpoints\n')
    await twoCalls(place)
    await twoCalls(place)
    await makeCheckpoint(place.database.db, place.signer)
    expect(await place.verify()).toEqual({
      exitCode: 0,
      stdout: 'ok: 8 rows in 2 chains, 1 checkpoints\n',
      stderr: '',
    })
  })

  test('AUD-02 CLI-01 --json gives the same for scripts, and the same exit codes', async () => {
    await using place = await createPlace()
    const chain = await twoCalls(place)
    const whole = await place.verify({ args: ['--json'] })
    expect(whole.exitCode).toBe(0)
    expect(JSON.parse(whole.stdout)).toMatchObject({ ok: true, rows: 4, chains: 1, broken: [] })
    await tamper(place, 'delete from audit_log where seq = 3')
    const broken = await place.verify({ args: ['--json'] })
    expect(broken.exitCode).toBe(1)
    expect(JSON.parse(broken.stdout)).toMatchObject({ ok: false, broken: [{ chain, seq: 3 }] })
  })

  test('AUD-02 rows written during the verification are no gap', async () => {
    await using place = await createPlace()
    const session = recordedSession(place.database.db)
    for (let count = 0; count < 30; count += 1) await session.call()
    const verified = place.verify()
    let isOver = false
    const over = verified.then(() => {
      isOver = true
    })
    while (!isOver) await session.call()
    await over
    expect(await verified).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^ok: /) })
  })
})

describe('a broken audit', () => {
  test.each([
    ['its text was changed', "update audit_log set body = body || ' ' where seq = 3"],
    ['its columns do not say', "update audit_log set tool = 'grep' where seq = 3"],
    ['row 3 is missing', 'delete from audit_log where seq = 3'],
    ['rows were cut off', 'delete from audit_log where seq >= 3'],
  ])('AUD-02 audit verify names the first broken row when %s', async (why, statement) => {
    await using place = await createPlace()
    const chain = await twoCalls(place)
    await tamper(place, statement)
    const { exitCode, stdout } = await place.verify()
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(new RegExp(`^broken: chain ${chain}, row 3: .*${why}`))
    expect(stdout).not.toContain('ok:')
  })

  test('AUD-02 every broken chain is reported, intact ones are not', async () => {
    await using place = await createPlace()
    const [first, whole, third] = [
      await twoCalls(place),
      await twoCalls(place),
      await twoCalls(place),
    ]
    await tamper(
      place,
      `update audit_log set body = body || ' ' where chain in ('${first}', '${third}') and seq = 2`,
    )
    const { stdout } = await place.verify()
    expect(stdout).toContain(`chain ${first}, row 2: `)
    expect(stdout).toContain(`chain ${third}, row 2: `)
    expect(stdout).not.toContain(whole)
  })

  test('AUD-02 a checkpoint with a wrong signature is reported', async () => {
    await using place = await createPlace()
    await twoCalls(place)
    await makeCheckpoint(place.database.db, place.signer)
    await tamper(place, `update audit_checkpoint set body = body || ' '`)
    const { exitCode, stdout } = await place.verify()
    expect(exitCode).toBe(1)
    expect(stdout).toContain('the signature is wrong')
  })
})

describe('keys', () => {
  test('AUD-02 a checkpoint of an unknown key is reported as such, and verified with its public half', async () => {
    await using place = await createPlace()
    await twoCalls(place)
    const { privateKeyPem, publicKeyPem } = generateKeyPair()
    const former = createSigner(privateKeyPem)
    await makeCheckpoint(place.database.db, former)
    const without = await place.verify()
    expect(without.exitCode).toBe(0)
    expect(without.stderr).toContain(`signed by ${former.kid} could not be checked`)
    const verifyKeysFile = join(place.cwd, 'former.pem')
    await writeFile(verifyKeysFile, publicKeyPem)
    expect(await place.verify({ verifyKeysFile })).toMatchObject({ exitCode: 0, stderr: '' })
    await tamper(place, `update audit_checkpoint set body = body || ' '`)
    expect((await place.verify({ verifyKeysFile })).exitCode).toBe(1)
  })

  test('CONF-02 keys that cannot be read are one plain line and exit code 2', async () => {
    await using place = await createPlace()
    const verifyKeysFile = join(place.cwd, 'broken.pem')
    await writeFile(verifyKeysFile, 'no key at all')
    const { exitCode, stderr } = await place.verify({ verifyKeysFile })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error\[KEYS_UNUSABLE\]: cannot use the keys in .*broken\.pem: .+\n$/)
  })
})

describe('a checkpoint saved elsewhere', () => {
  test('AUD-02 --since-checkpoint detects a history that was rewritten completely', async () => {
    await using place = await createPlace()
    const chain = await twoCalls(place)
    const saved = join(place.cwd, 'countersign.log')
    const logged = await makeCheckpoint(place.database.db, place.signer)
    await writeFile(saved, `{"msg":"another line"}\n${logged}no json\n`)
    const args = ['--since-checkpoint', saved]
    expect(await place.verify({ args })).toMatchObject({ exitCode: 0, stderr: '' })
    await tamper(place, 'truncate audit_log, audit_head, audit_checkpoint')
    const session = recordedSession(place.database.db)
    await session.call()
    expect((await place.verify()).exitCode).toBe(0)
    const { exitCode, stdout } = await place.verify({ args })
    expect(exitCode).toBe(1)
    expect(stdout).toBe(`broken: chain ${chain}, row 4: it is not what the saved checkpoint says\n`)
  })

  test('CLI-01 a file without a checkpoint is wrong usage, one that is missing an error', async () => {
    await using place = await createPlace()
    const file = join(place.cwd, 'empty.log')
    await writeFile(file, '{"msg":"nothing"}\n')
    const empty = await place.verify({ args: ['--since-checkpoint', file] })
    expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no checkpoint') })
    const missing = await place.verify({ args: ['--since-checkpoint', `${file}.gone`] })
    expect(missing.exitCode).toBe(1)
    expect(missing.stderr).toMatch(/^error\[FILE_FAILED\]: ENOENT.+\n$/)
  })
})

test('CLI-01 Ctrl-C ends audit verify with 130 while a statement still waits', async () => {
  await using place = await createPlace()
  const { pool, connection } = place.database
  const holder = await pool.connect()
  try {
    await holder.query('begin; lock table audit_head in access exclusive mode')
    const environment = { DATABASE_URL: toDatabaseUrl(connection) }
    const program = startProgram(['audit', 'verify'], { cwd: place.cwd, environment })
    const waiting = "select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'"
    await vi.waitFor(
      async () => expect((await pool.query(waiting, [connection.database])).rowCount).toBe(1),
      { timeout: 30_000 },
    )
    program.child.kill('SIGINT')
    expect(await program.ended).toEqual({ exitCode: 130, stdout: '', stderr: '' })
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})
