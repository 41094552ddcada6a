import { mkdir, writeFile } from 'node:fs/promises'
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
  const asked = async (command: string, times: number, event: Partial<AuditEvent> = {}) => {
    for (let time = 0; time < times; time += 1) {
      await session.row({
        ...{ kind: 'decided', call_id: newId(), worker: 'default', verdict: 'ask' },
        ...{ approval_state: 'approved', decided_by: 'console:ada' },
        arguments: JSON.stringify({ command }),
        ...event,
      })
    }
  }
  await asked('git status', 3)
  await asked('git status', 2, { decided_by: 'telegram:7' })
  for (const count of [1, 2, 3]) await asked(`git log -${count}`, 2)
  await asked('ls', 8)
  await asked('ls', 1, { approval_state: 'denied' })
  await asked('rm -r build', 9)
  await asked('pwd', 9, { worker: 'other' })
  const folder = join(directory.path, 'data/workers/default')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'permissions.jsonc'), '{ "bash": { "*": "ask", "rm *": "ask" } }')
})

afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

function gate(...args: readonly string[]): Promise<Ended> {
  const connection = { ...database.connection, user: readerRole }
  const environment = { DATABASE_URL: toDatabaseUrl(connection) }
  return runProgram(['gate', ...args], { cwd: directory.path, environment })
}

test('APPR-21 CLI-01 gate suggest prints rules with who approved what, and what they would have spared', async () => {
  const { exitCode, stdout, stderr } = await gate('suggest')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toContain('Of 29 questions these rules would have spared 11.')
  expect(stdout).toContain('// 1 more were left out: something was refused.')
  expect(
    stdout,
  ).toContain(`    // approved 5 times by console:ada (3), telegram:7 (2), never refused; would have spared 5 questions
    // granted by gate suggest
    "git status": "allow"`)
  expect(stdout).toContain('"git log *": "allow"')
  expect(stdout).not.toMatch(/"(?:ls|rm|pwd)/)
})

test('APPR-21 what it prints is a file of rules that the gate reads, and does what it says', async () => {
  const { stdout } = await gate('suggest')
  await writeFile(join(directory.path, 'proposed.jsonc'), stdout)
  const { stdout: replayed } = await gate('replay', '--rules', 'proposed.jsonc', '--json')
  const report = JSON.parse(replayed)
  expect(report.changes).toHaveLength(1)
  expect(report.changes[0]).toMatchObject({
    before: 'ask',
    after: 'allow',
    count: 11,
    answers: { approved: 11 },
  })
})

test('APPR-21 CLI-01 --json, --min and --worker', async () => {
  const strict = JSON.parse((await gate('suggest', '--json', '--min', '6')).stdout)
  expect(strict.proposals).toMatchObject([{ tool: 'bash', pattern: 'git log *', spares: 6 }])
  const other = JSON.parse((await gate('suggest', '--json', '--worker', 'other')).stdout)
  expect(other).toMatchObject({ worker: 'other', questions: 9, spared: 9, contradicted: 0 })
  const none = await gate('suggest', '--worker', 'nobody')
  expect(none.stdout).toContain('There is nothing to propose.')
  expect(await gate('suggest', '--min', '1')).toMatchObject({ exitCode: 2 })
})
