import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { saveAgent } from '../../../src/db/worker/agents.ts'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { newId } from '../../../src/util/ids.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { describeWithRedis } from '../../support/database/describe-with-redis.ts'
import { startRedis } from '../../support/database/redis.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

const token = 'c0ffee00'.repeat(8)
const nowhere = 'redis://127.0.0.1:1'
const worker = {
  COUNTERSIGN_SANDBOX_DRIVER: 'process',
  COUNTERSIGN_WORKER_TOKEN: token,
}

async function doctor(cwd: string, role: string, environment: Record<string, string>) {
  const { exitCode, stdout } = await runProgram(['doctor', '--for', role], { cwd, environment })
  const lines = stdout.split('\n').slice(0, -1)
  return { exitCode, lines, about: lines.map((line) => line.slice(6).split(': ')[0]) }
}

test('CLI-01 PROC-01 doctor --for worker checks what a worker has, and nothing else', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const keys = join(cwd, 'verify-keys.pem')
  await writeFile(keys, generateKeyPair().publicKeyPem)
  const given = { ...worker, REDIS_URL: nowhere, COUNTERSIGN_VERIFY_KEYS_FILE: keys }
  const { exitCode, lines, about } = await doctor(cwd, 'worker', given)
  expect(exitCode).toBe(1)
  expect(about).toEqual(expect.arrayContaining(['worker', 'queue', 'sandbox', 'verifying keys']))
  for (const what of [
    'database',
    'migrations',
    'model',
    'signing key',
    'telegram',
    'permissions',
  ]) {
    expect(about).not.toContain(what)
  }
  const failed = lines.filter((line) => line.startsWith('fail'))
  expect(failed).toEqual([
    expect.stringMatching(/^fail {2}queue: Redis at 127\.0\.0\.1:1: .+ → start that Redis/),
  ])
  expect(lines.join('\n')).not.toContain(token)
})

test('CLI-01 PROC-01 doctor --for worker says what a worker lacks, and what it must not hold', async () => {
  await using directory = await temporaryDirectory()
  const given = {
    ...worker,
    DATABASE_URL: 'postgres://ada:pass-word@127.0.0.1:1/x',
    COUNTERSIGN_ENROLMENT_SECRET: 'what-the-tokens-of-workers-are-made-from',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20what-traces-carry',
    COUNTERSIGN_WORKER_TOKEN: 'what-was-given-in-place-of-a-token',
  }
  const { lines } = await doctor(directory.path, 'worker', given)
  const failed = lines.filter((line) => line.startsWith('fail  worker: ')).join('\n')
  expect(failed).toMatch(/REDIS_URL is not set/)
  expect(failed).toMatch(/COUNTERSIGN_VERIFY_KEYS_FILE is not set/)
  expect(failed).toMatch(/DATABASE_URL is set, and a worker must not hold it/)
  expect(failed).toMatch(/COUNTERSIGN_ENROLMENT_SECRET is set, and a worker must not hold it/)
  expect(failed).toMatch(/COUNTERSIGN_WORKER_TOKEN is not 64 lower-case hexadecimal digits/)
  expect(lines.join('\n')).not.toMatch(/pass-word|what-/)
})

test('CLI-01 doctor --for knows three roles', async () => {
  await using directory = await temporaryDirectory()
  expect((await doctor(directory.path, 'king', {})).exitCode).toBe(2)
})

test('CLI-01 DECISION-4 INT-40 doctor tells which agents and workers live, whose rules differ, and by whose clock jobs are refused', async () => {
  await using directory = await temporaryDirectory()
  await using database = await createTestDatabase()
  await using bench = await createBenchContext(createScriptedModel([]))
  const own = bench.database
  const look = async () => {
    const url = toDatabaseUrl(own.connection)
    const { lines } = await doctor(directory.path, 'gateway', { DATABASE_URL: url })
    return lines
      .filter((line) => /^.{6}(agents|rules|workers|clock|processes): /.test(line))
      .join('\n')
  }
  const url = toDatabaseUrl(database.connection)
  const none = await doctor(directory.path, 'gateway', { DATABASE_URL: url })
  expect(none.lines.join('\n')).toContain('ok    processes: none is running')
  await bench.hello()
  expect(await look()).toMatch(
    /warn {2}agents: none is running → [\s\S]*ok {4}workers: "default": 1 running, sandbox bubblewrap/,
  )
  await sql`update worker set said_at = seen_at + interval '2 minutes'`.execute(own.db)
  expect(await look()).toMatch(
    /fail {2}clock: that of worker "default" .* differs .* by 120\.0 s: it refuses signed jobs/,
  )
  for (const host of ['east', 'west']) await saveAgent(own.db, agentOn(host))
  await sql`update agent set rules_since = now() - interval '2 minutes'`.execute(own.db)
  expect(await look()).toMatch(
    /ok {4}agents: 2 running[\s\S]*warn {2}rules: agents have different rules .* on east by \/of\/east .* on west by .* → let all agents share/,
  )
})

function agentOn(host: string) {
  const rules = { worker: 'default', path: `/of/${host}`, sha256: sha256(host) }
  return { id: newId(), model: 'scripted', warnings: [], liveKey: '', host, rules }
}

describeWithRedis('a queue in Redis', () => {
  test('CLI-01 STORE-02 doctor looks at Redis also while the database is away', async () => {
    await using directory = await temporaryDirectory()
    await using redis = await startRedis()
    const given = { REDIS_URL: redis.url, DATABASE_URL: 'postgres://ada@127.0.0.1:1/x' }
    const { lines } = await doctor(directory.path, 'gateway', given)
    expect(lines.filter((line) => /^.{6}(database|queue): /.test(line))).toEqual([
      expect.stringMatching(/^fail {2}database: /),
      expect.stringMatching(/^ok {4}queue: Redis at 127\.0\.0\.1:\d+$/),
    ])
    expect(lines.join('\n')).not.toContain(redis.password)
  })
})
