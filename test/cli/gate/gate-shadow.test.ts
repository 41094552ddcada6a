import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record } from '../../../src/core/audit/record.ts'
import { inTransaction } from '../../../src/db/database.ts'
import { newId } from '../../../src/util/ids.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await decide('bash', 'allow', 'git status')
  for (const command of ['git push', 'git push --force'])
    await decide('bash', 'allow', command, 'ask', 'worker: bash "git push *" ask')
  await decide('read', 'ask', 'a\u001b[2Jb', 'allow', 'worker: read "*" allow')
  const again = newId()
  await decide('bash', 'ask', 'make', 'deny', 'worker: bash "make" deny', again)
  await decide('bash', 'ask', 'make', 'allow', 'worker: bash "make" allow', again)
})
afterAll(() => database[Symbol.asyncDispose]())

async function decide(
  tool: string,
  verdict: string,
  command: string,
  shadow?: string,
  shadow_why?: string,
  call_id = newId(),
): Promise<void> {
  await inTransaction(database.db, (trx) =>
    record(trx, {
      kind: 'decided',
      chain: 'system',
      call_id,
      tool,
      verdict,
      arguments: JSON.stringify({ command }),
      ...(shadow === undefined ? {} : { shadow }),
      ...(shadow_why === undefined ? {} : { shadow_why }),
    }),
  )
}

test('APPR-21 CLI-01 gate shadow counts what the shadow rules would judge otherwise, by their rules', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  await writeFile(join(cwd, 'shadow.jsonc'), '{ "bash": "ask" }')
  const environment = {
    DATABASE_URL: toDatabaseUrl(database.connection),
    COUNTERSIGN_TOOLS_SHADOW_PERMISSIONS: 'shadow.jsonc',
  }
  const { exitCode, stdout, stderr } = await runProgram(['gate', 'shadow'], { cwd, environment })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const lines = stdout.replaceAll(/last \S+/g, 'last TIME').split('\n')
  expect(lines.slice(0, 3)).toEqual([
    '4 of 5 calls since 7d would be judged otherwise',
    '     2  bash: allow → ask, by worker: bash "git push *" ask',
    '        last TIME  {"command":"git push --force"}',
  ])
  expect(stdout).toContain('bash: ask → allow, by worker: bash "make" allow')
  expect(stdout).not.toContain('deny')
  expect(stdout).not.toContain('\u001b')
  const json = await runProgram(['gate', 'shadow', '--json', '--since', '1h'], { cwd, environment })
  const found = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(found).toHaveLength(4)
  expect(found[0]).toMatchObject({ tool: 'bash', verdict: 'allow', shadow: 'ask' })
})

test('APPR-21 CLI-01 gate shadow and doctor say why nothing is compared; a wrong time is wrong usage', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const DATABASE_URL = toDatabaseUrl(database.connection)
  const none = await runProgram(['gate', 'shadow', '--since', '2001-01-01'], {
    cwd,
    environment: { DATABASE_URL },
  })
  expect(none.exitCode).toBe(0)
  expect(none.stderr).toContain('nothing is compared: [tools] shadow_permissions names no file')
  await writeFile(join(cwd, 'shadow.jsonc'), '{\n"bash": "never" }')
  const environment = { DATABASE_URL, COUNTERSIGN_TOOLS_SHADOW_PERMISSIONS: 'shadow.jsonc' }
  const damaged = await runProgram(['gate', 'shadow'], { cwd, environment })
  expect(damaged.stderr).toContain('nothing is compared: line 2: "never" is not an action')
  const wrong = await runProgram(['gate', 'shadow', '--since', 'soon'], { cwd, environment })
  expect(wrong.exitCode).toBe(2)
  const doctor = await runProgram(['doctor', '--for', 'agent'], { cwd, environment })
  expect(doctor.stdout).toMatch(
    /^warn {2}shadow rules: nothing is compared with .*shadow\.jsonc: line 2/m,
  )
})
