import { expect, test } from 'vitest'
import { grantAppRole, readerRole } from '../../../src/db/roles/grant-roles.ts'
import type { AuditEvent } from '../../../src/domain/audit-event.ts'
import { newId } from '../../../src/util/ids.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { recordedSession } from '../gate/recorded-calls.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

/** Ten questions that took 1 to 10 minutes, the last three denied; one that ran out; two refusals of the gate; seven more calls. */
async function fill({ db }: TestDatabase): Promise<void> {
  const session = recordedSession(db)
  const decided = (event: Partial<AuditEvent>) =>
    session.row({ kind: 'decided', call_id: newId(), arguments: '{"command":"ls"}', ...event })
  const asked = (minutes: number, event: Partial<AuditEvent>) =>
    decided({
      ...{ verdict: 'ask', approval_id: newId(), decided_by: 'slack:u' },
      asked_at: new Date(0).toISOString(),
      answered_at: new Date(minutes * 60_000).toISOString(),
      ...event,
    })
  for (let minute = 1; minute <= 10; minute += 1) {
    const approval_state = minute > 7 ? 'denied' : 'approved'
    const command = minute > 2 ? 'git push' : 'make \u001b'
    await asked(minute, { approval_state, arguments: JSON.stringify({ command }) })
  }
  await decided({ verdict: 'ask', approval_id: newId(), approval_state: 'expired' })
  const rule = 'worker: bash "rm *" deny'
  const trace = [{ check: 'permissions', action: 'deny', reason: 'x', rule }] as const
  for (const caller_id of ['slack:a', 'slack:b'])
    await decided({ verdict: 'deny', trace, caller_id })
  for (let call = 0; call < 7; call += 1) await decided({ verdict: 'allow' })
}

test('APPR-22 CLI-01 audit stats counts questions, how they ended, how long people took, and what was refused', async () => {
  await using directory = await temporaryDirectory()
  await using database = await createTestDatabase()
  await grantAppRole(database.db)
  await fill(database)
  const connection = { ...database.connection, user: readerRole }
  const environment = { DATABASE_URL: toDatabaseUrl(connection) }
  const place = { cwd: directory.path, environment }
  const { exitCode, stdout, stderr } = await runProgram(['audit', 'stats', '--json'], place)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ calls: 20, questions: 11, approved: 7, denied: 3, expired: 1 },
    median_ms: 330_000,
    p90_ms: 546_000,
    denials_by_rule: [
      { denied_by: 'slack:u', rule: null, calls: 3 },
      { denied_by: 'gate', rule: 'worker: bash "rm *" deny', calls: 2 },
      { denied_by: 'time', calls: 1 },
    ],
    denials_by_caller: [
      { caller_id: 'console:ada', by_gate: 0, by_people: 3, by_time: 1 },
      { caller_id: 'slack:a', by_gate: 1, by_people: 0, by_time: 0 },
      { caller_id: 'slack:b', by_gate: 1 },
    ],
    most_approved: [
      { tool: 'bash', arguments: '{"command":"git push"}', approvals: 5, people: ['slack:u'] },
      { approvals: 2 },
    ],
  })
  const shown = (await runProgram(['audit', 'stats', '--since', '1d'], place)).stdout
  expect(shown).toMatch(/asked a person {5}11 \(55\.0%\)/)
  expect(shown).toMatch(/expired {12}1 \(9\.1%\)/)
  expect(shown).toContain('6 min (median), 9 min (p90)')
  expect(shown).not.toContain('\u001b')
  const none = await runProgram(['audit', 'stats', '--since', '2999-01-01'], place)
  expect(none).toMatchObject({ exitCode: 0 })
  expect(none.stdout).toContain('none (median)')
})

test('APPR-22 AUD-03 the views say the same day by day', async () => {
  await using database = await createTestDatabase()
  await fill(database)
  // Midnight may have passed in between.
  const { rows } = await database.pool.query(`
    select sum(calls)::int as calls, sum(questions)::int as questions, sum(approved)::int as approved,
      sum(denied)::int as denied, sum(expired)::int as expired, max(median_wait) as median_wait,
      max(p90_wait) as p90_wait
    from audit_questions`)
  expect(rows).toMatchObject([{ calls: 20, questions: 11, approved: 7, denied: 3, expired: 1 }])
  expect(rows[0].median_wait.minutes).toBeGreaterThan(3)
  expect(rows[0].p90_wait.minutes).toBeGreaterThan(rows[0].median_wait.minutes)
  const approved = await database.pool.query(
    'select tool, people, approvals from audit_approved order by approvals desc limit 1',
  )
  expect(approved.rows).toMatchObject([{ approvals: 5, people: ['slack:u'], tool: 'bash' }])
})
