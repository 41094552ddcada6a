import { describe, expect, test } from 'vitest'
import { linkAccounts } from '../../../src/db/people/caller-links.ts'
import { savePairedRole } from '../../../src/db/people/callers.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

const accounts = ['telegram:42', 'slack:T1:U2', 'telegram:43'] as const

async function createPlace() {
  const resources = new AsyncDisposableStack()
  const { path: cwd } = resources.use(await temporaryDirectory())
  const { db, connection } = resources.use(await createTestDatabase())
  const environment = { DATABASE_URL: toDatabaseUrl(connection), USER: 'olga' }
  for (const id of accounts) await savePairedRole(db, { id, name: id }, 'user')
  return {
    db,
    pair: (...args: readonly string[]) => runProgram(['pair', ...args], { cwd, environment }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('accounts of one person', () => {
  test('CHAT-01 CLI-01 pair list shows them together, pair unlink makes one a person of its own again, with a row in the audit', async () => {
    await using place = await createPlace()
    const { db, pair } = place
    expect((await pair('list')).stdout).not.toContain('ONE PERSON')
    await linkAccounts(db, [accounts[0], accounts[1]], accounts[1])
    await linkAccounts(db, [accounts[1], accounts[2]], accounts[2])
    const list = (await pair('list')).stdout
    expect(list).toMatch(/ONE PERSON +SINCE +LINKED BY\n(?:= )?\S+ +\d{4}-\d\d-\d\d +slack:T1:U2\n/)
    expect(list.match(/^= /gm)).toHaveLength(2)
    expect(await pair('unlink', 'slack:T1:U2')).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^slack:T1:U2 is no longer linked with telegram:4\d, telegram:4\d\.\n$/,
      ),
      stderr: '',
    })
    expect((await pair('list')).stdout.match(/^= /gm)).toHaveLength(1)
    const rows = (await auditRows(db)).map(({ caller_id, body }) => ({ caller_id, body }))
    expect(rows.map((row) => [row.caller_id, JSON.parse(row.body).note])).toEqual([
      ['console:olga', expect.stringMatching(/^ended the link of slack:T1:U2 with telegram:4/)],
    ])
  })

  test('CHAT-01 CLI-01 pair unlink says that an account is not linked', async () => {
    await using place = await createPlace()
    const { exitCode, stderr } = await place.pair('unlink', 'telegram:42')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('"telegram:42" is not linked to another account')
    expect((await place.pair('unlink', '--help')).stdout).toMatch(/\$ npx countersign pair unlink/)
  })
})
