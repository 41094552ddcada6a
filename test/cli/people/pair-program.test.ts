import { expect, test } from 'vitest'
import { saveCaller } from '../../../src/db/people/callers.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

test('APPR-11 CLI-01 a token is kept as its digest, sees little unless told otherwise, and no name means two', async () => {
  await using directory = await temporaryDirectory()
  await using database = await createTestDatabase()
  const { db } = database
  const pair = (name: string, more = {}) =>
    runProgram(['pair', '--api', name], {
      cwd: directory.path,
      environment: { DATABASE_URL: toDatabaseUrl(database.connection), USER: 'olga', ...more },
    })
  await saveCaller(db, { id: 'telegram:7', name: 'API: Bot', role: 'user' })
  const [one, two, taken] = await Promise.all([
    pair('one'),
    pair('two', { COUNTERSIGN_HTTP_API: 'false' }),
    pair('bot'),
  ])
  expect(one.stderr).toContain('This is the token of api:one (role: user).')
  expect(one.stderr).toContain('the questions about calls of its own')
  expect(one.stderr).not.toContain('warning')
  expect(two.stderr).toContain('warning: [http] api is off here')
  expect([taken.exitCode, taken.stdout]).toEqual([1, ''])
  expect(taken.stderr).toContain('somebody goes by a name that reads like api:bot')
  const tokens = await db.selectFrom('api_token').selectAll().orderBy('caller_id').execute()
  expect(tokens.map(({ token_sha256 }) => token_sha256)).toEqual(
    [one, two].map(({ stdout }) => sha256(stdout.trim())),
  )
  const callers = await db
    .selectFrom('caller')
    .selectAll()
    .where('id', 'like', 'api:%')
    .orderBy('id')
    .execute()
  expect(callers).toMatchObject([
    { id: 'api:one', name: 'api:one', role: 'user', paired_role: 'user' },
    { id: 'api:two' },
  ])
}, 120_000)

test.each([
  [['--api']],
  [['--api', 'Desk']],
  [['--api', 'a b']],
  [['--api', 'x'.repeat(33)]],
  [['--api', 'desk', '--minutes', '5']],
])('CLI-01 APPR-11 pair %j exits with 2 and prints nothing', async (args) => {
  await using directory = await temporaryDirectory()
  const { exitCode, stdout, stderr } = await runProgram(['pair', ...args], { cwd: directory.path })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toMatch(/^error\[[A-Z_]+\]: .+\n/)
})
