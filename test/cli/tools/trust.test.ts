import { describe, expect, test } from 'vitest'
import { addOutcome, beginIncident } from '../../../src/db/call/tool-outcomes.ts'
import { setTrust } from '../../../src/db/call/tool-trust.ts'
import type { Db } from '../../../src/db/schema.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { type Ended, runProgram, toDatabaseUrl } from '../run-program.ts'

interface Place extends AsyncDisposable {
  readonly db: Db
  trust(...args: readonly string[]): Promise<Ended>
}

async function createPlace(): Promise<Place> {
  const directory = await temporaryDirectory()
  const database = await createTestDatabase()
  const environment = { DATABASE_URL: toDatabaseUrl(database.connection), USER: 'olga' }
  return {
    db: database.db,
    trust: (...args) => runProgram(['trust', ...args], { cwd: directory.path, environment }),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

describe('trust', () => {
  test('POL-03 set changes a level, says what it means, and is audited with who and why', async () => {
    await using place = await createPlace()
    const reason = 'odd\u001b[31m places'
    const done = await place.trust('set', 'shell_exec', 'quarantined', '--reason', reason)
    expect(done).toMatchObject({
      exitCode: 0,
      stdout:
        'bash is quarantined, was trusted. Every call of it asks a person, whatever rules say.\n',
    })
    expect(await place.db.selectFrom('tool_trust').selectAll().execute()).toMatchObject([
      { tool: 'bash', level: 'quarantined', set_by: 'console:olga', reason },
    ])
    const rows = await auditRows(place.db)
    expect(rows).toMatchObject([
      { chain: 'system', kind: 'command', tool: 'bash', caller_id: 'console:olga' },
    ])
    expect(JSON.parse(rows[0]?.body ?? '').note).toBe(
      `set the trust of bash from trusted to quarantined: ${reason}`,
    )
    const list = await place.trust('list')
    expect(list.stdout).toMatch(
      /^bash +quarantined +- +console:olga +\d{4}-\d\d-\d\d \d\d:\d\d +odd\S*\[31m places$/m,
    )
    expect(list.stdout).not.toContain('\u001b')
    expect(list.stdout).toMatch(/^read +trusted +- +- +-$/m)
  })

  test('POL-03 OUT-08 a secret within the reason of a level is neither stored nor audited', async () => {
    await using place = await createPlace()
    const secret = `ghp_${'x7Kp2Qw9'.repeat(4)}abcd`
    await place.trust('set', 'fetch', 'quarantined', '--reason', `it printed ${secret}`)
    const kept = await place.db.selectFrom('tool_trust').selectAll().execute()
    const audited = await auditRows(place.db)
    expect(kept[0]?.reason).toMatch(/^it printed \[redacted:/)
    expect(JSON.stringify([kept, audited])).not.toContain(secret)
  })

  test('POL-03 POL-04 what the detector blocked is let go by set, which begins to count anew', async () => {
    await using place = await createPlace()
    const { db } = place
    for (const failed of [true, true, false]) await addOutcome(db, 'fetch', failed, 20)
    await addOutcome(db, 'read', true, 20)
    await beginIncident(db, 'fetch', { executions: 3, failed: 2 })
    await setTrust(db, { tool: 'fetch', level: 'blocked', set_by: 'anomaly', reason: '2 of 3' })
    const before = (await place.trust('list', '--json')).stdout.trim().split('\n').map(parsed)
    expect(before.find(({ tool }) => tool === 'fetch')).toEqual({
      tool: 'fetch',
      level: 'blocked',
      setBy: 'anomaly',
      setAt: expect.stringMatching(/^\d{4}-.*Z$/),
      reason: '2 of 3',
      executions: 3,
      failed: 2,
    })
    const done = await place.trust('set', 'fetch', 'trusted')
    expect(done.stdout).toBe('fetch is trusted, was blocked. Rules decide about its calls.\n')
    expect(await db.selectFrom('tool_incident').selectAll().execute()).toEqual([])
    const left = await db.selectFrom('tool_outcome').select('tool').execute()
    expect(left).toEqual([{ tool: 'read' }])
    const after = (await place.trust('list', '--json')).stdout.trim().split('\n').map(parsed)
    const fetched = after.find(({ tool }) => tool === 'fetch')
    expect(fetched).toMatchObject({ level: 'trusted', setBy: 'console:olga', executions: 0 })
    expect(fetched).not.toHaveProperty('reason')
  })

  test('POL-03 a tool or level that there is not is refused, and nothing changes', async () => {
    await using place = await createPlace()
    const tool = await place.trust('set', 'fetsh', 'blocked')
    expect(tool).toMatchObject({ exitCode: 2, stdout: '' })
    expect(tool.stderr).toContain('there is no tool "fetsh": meant fetch')
    const level = await place.trust('set', 'fetch', 'banned')
    expect(level).toMatchObject({ exitCode: 2, stdout: '' })
    expect(level.stderr).toContain('trusted, verified, quarantined, blocked')
    expect(await place.db.selectFrom('tool_trust').selectAll().execute()).toEqual([])
    expect(await auditRows(place.db)).toEqual([])
  })
})

function parsed(line: string): Readonly<Record<string, unknown>> {
  return JSON.parse(line)
}
