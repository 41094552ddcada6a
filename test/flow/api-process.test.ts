import { expect, test } from 'vitest'
import { type Program, runProgram, startProgram, toDatabaseUrl } from '../cli/run-program.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'
import { ApiClient } from '../support/api-client.ts'
import { auditRows } from '../support/audit-rows.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { freePort } from '../support/free-port.ts'

/** A program starts in a second, and on a machine that is busy in many. */
const patient = { timeout: 100_000, interval: 50 }

test('APPR-11 APPR-01 CLI-01 a token made by the command line; the process is killed between event and answer; the question is replayed, answered and run once; revoking ends it', async () => {
  await using directory = await temporaryDirectory()
  await using database = await createTestDatabase()
  const cwd = directory.path
  const port = await freePort()
  const environment = {
    DATABASE_URL: toDatabaseUrl(database.connection),
    USER: 'olga',
    COUNTERSIGN_HTTP_LISTEN: `127.0.0.1:${port}`,
    COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone',
  }
  const run = { cwd, environment }
  const paired = await runProgram(['pair', '--api', 'desk', '--role', 'approver'], run)
  expect(paired.exitCode).toBe(0)
  expect(paired.stdout).toMatch(/^countersign_[\w-]{43}\n$/)
  const token = paired.stdout.trim()
  expect(paired.stderr).toContain('This is the token of api:desk (role: approver).')
  expect(paired.stderr).toContain(`http://127.0.0.1:${port}/v1/events`)
  expect(paired.stderr).not.toContain(token)
  const client = new ApiClient(port, token)
  const serves = async () => (await client.request('/healthz').catch(() => undefined))?.ok === true

  await using programs = new AsyncDisposableStack()
  const start = (): Program => {
    const program = startProgram(['start'], run)
    programs.defer(async () => {
      program.child.kill('SIGKILL')
      await program.ended
    })
    return program
  }
  const first = start()
  first.child.stdin?.write('run the command: echo once >> counter; cat counter\n')
  await expect.poll(serves, patient).toBe(true)
  await using before = await client.events().ready()
  await expect.poll(() => before.required().length, patient).toBe(1)
  const [asked] = before.required()
  if (asked === undefined) throw new Error('it did not ask')
  first.child.kill('SIGKILL')
  await first.ended
  await before.ended.catch(() => undefined)

  const second = start()
  await expect.poll(serves, patient).toBe(true)
  await using after = await client.events().ready()
  expect(after.required()).toEqual([asked])
  const { sessionId, approvalId } = asked
  expect((await client.approve({ sessionId, approvalId })).body).toEqual({
    applied: true,
    message: 'Approved.',
  })
  expect(await after.end(approvalId)).toMatchObject({ state: 'approved', decidedBy: 'api:desk' })
  await expect.poll(() => second.stdout(), patient).toContain('exit 0')
  expect(second.stdout()).toMatch(/Approved by api:desk/)
  const calls = await database.db.selectFrom('tool_call').selectAll().execute()
  expect(calls.map(({ state, attempt }) => [state, attempt])).toEqual([['succeeded', 1]])

  const [list, again] = await Promise.all([
    runProgram(['pair', 'list'], run),
    runProgram(['pair', '--api', 'desk'], run),
  ])
  expect(list.stdout).toMatch(
    /PROGRAM +ROLE +SINCE +LAST USED \(UTC\)\napi:desk +approver +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d \d\d:\d\d\n$/,
  )
  expect([again.exitCode, again.stdout]).toEqual([1, ''])
  expect(again.stderr).toContain('api:desk has a token already')
  const revoked = await runProgram(['pair', 'revoke', 'api:desk'], run)
  expect(revoked.stdout).toBe('The token of api:desk (approver) is void.\n')
  await after.ended
  expect((await client.request('/v1/events')).status).toBe(404)
  second.child.stdin?.end()
  const ended = await second.ended
  expect(`${ended.stdout}${ended.stderr}`).not.toContain(token)
  const rows = await auditRows(database.db)
  const audit = rows.map(({ body }) => body).join('\n')
  expect(audit).toContain('"decided_by":"api:desk"')
  expect(audit).toContain('made a token of the API for api:desk with the role approver')
  expect(audit).toContain('revoked the role approver that api:desk had by pairing')
  expect(audit).not.toContain(token)
}, 240_000)
