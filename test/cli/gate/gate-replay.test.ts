import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grantAppRole, readerRole } from '../../../src/db/roles/grant-roles.ts'
import type { AuditEvent } from '../../../src/domain/audit-event.ts'
import { newId } from '../../../src/util/ids.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { type Ended, runProgram, toDatabaseUrl } from '../run-program.ts'
import { recordedSession } from './recorded-calls.ts'

let directory: Awaited<ReturnType<typeof temporaryDirectory>>
let database: TestDatabase

beforeAll(async () => {
  directory = await temporaryDirectory()
  database = await createTestDatabase()
  await grantAppRole(database.db)
  const session = recordedSession(database.db)
  const decided = (command: string, event: Partial<AuditEvent> = {}) =>
    session.row({
      kind: 'decided',
      call_id: newId(),
      worker: 'default',
      verdict: 'ask',
      approval_state: 'approved',
      decided_by: 'console:ada',
      arguments: JSON.stringify({ command }),
      ...event,
    })
  await decided('git log -3')
  await decided('git log -5')
  await decided('git push', { approval_state: 'denied' })
  await decided('ls\u001b[2J', { verdict: 'allow' })
  await decided('curl -H [redacted:bearer] https://example.com')
  const call_id = newId()
  await decided('git log --oneline', { call_id, attempt: 1 })
  await decided('git log --oneline', { call_id, attempt: 2 })
  await session.row({ kind: 'settled', call_id, result: 'success' })
  // Enough calls for more than one page.
  await database.pool.query(`
    insert into audit_log (chain, seq, previous_hash, hash, at, kind, call_id, caller_id, tool, verdict, body)
    select 'many', n, '', '', now() - interval '2 days', 'decided', gen_random_uuid(), 'console:ada', 'bash', 'ask',
      '{"worker":"default","arguments":"{\\"command\\":\\"whoami\\"}"}'
    from generate_series(1, 1100) n`)
  const rules = { bash: { '*': 'ask', 'git *': 'allow', 'ls*': 'deny', whoami: 'allow' } }
  await writeFile(join(directory.path, 'new.jsonc'), JSON.stringify(rules))
  const operator = '[[tools.permissions.bash]]\npattern = "whoami"\naction = "deny"\n'
  await writeFile(join(directory.path, 'new.toml'), operator)
})

afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

function replay(...args: readonly string[]): Promise<Ended> {
  const connection = { ...database.connection, user: readerRole }
  const environment = { DATABASE_URL: toDatabaseUrl(connection) }
  return runProgram(['gate', 'replay', ...args], { cwd: directory.path, environment })
}

test('APPR-12 CLI-01 gate replay counts what other rules would change, as the role that reads the audit', async () => {
  const { exitCode, stdout, stderr } = await replay('--rules', 'new.jsonc', '--json')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({
    calls: 1106,
    unchanged: { allow: 0, ask: 0, deny: 0 },
    uncertain: { 'secrets were taken out of its arguments': 1 },
  })
  const [freed, refused] = report.changes
  expect(freed).toMatchObject({ before: 'ask', after: 'allow', count: 1104 })
  expect(freed.answers).toEqual({ approved: 3, denied: 1 })
  expect(freed.groups.map(({ by, count }: { by: string; count: number }) => [by, count])).toEqual([
    ['worker: bash "whoami" allow', 1100],
    ['worker: bash "git *" allow', 4],
  ])
  expect(refused).toMatchObject({ before: 'allow', after: 'deny', count: 1 })
})

test('APPR-12 CLI-01 for people it says the same in words, and drives no terminal', async () => {
  const { stdout } = await replay('--rules', 'new.jsonc', '--since', '1d')
  expect(stdout).toMatch(/^6 calls since /)
  expect(stdout).toContain('ask → allow: 4 calls; what had become of them: 3 approved, 1 denied')
  expect(stdout).toContain('4× worker: bash "git *" allow')
  expect(stdout).toContain('allow → deny: 1 calls')
  expect(stdout).toContain('1× secrets were taken out of its arguments')
  expect(stdout).not.toContain('\u001b')
})

test('APPR-12 --operator takes the rules of another configuration', async () => {
  const { stdout } = await replay('--operator', 'new.toml', '--json')
  expect(JSON.parse(stdout).changes).toContainEqual(
    expect.objectContaining({ before: 'ask', after: 'deny', count: 1100 }),
  )
})

test('APPR-12 rules that cannot be understood are told line by line, and nothing is replayed', async () => {
  await writeFile(join(directory.path, 'bad.jsonc'), '{\n"bash": "yes"\n}')
  const rules = await replay('--rules', 'bad.jsonc')
  expect(rules).toMatchObject({ exitCode: 2, stdout: '' })
  expect(rules.stderr).toContain('bad.jsonc:2: "yes" is not an action')
  const missing = await replay('--rules', 'none.jsonc')
  expect(missing.exitCode).toBe(1)
})
