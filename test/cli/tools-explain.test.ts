import { expect, test } from 'vitest'
import { standingsTable } from '../../src/cli/standings-table.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase } from '../support/database.ts'
import { runProgram } from './run-program.ts'

test('ERR-06 CLI-01 tools explain shows how well each model uses each tool, as a table and as JSON', async () => {
  await using directory = await temporaryDirectory()
  await using database = await createTestDatabase()
  const explain = (...args: string[]) =>
    runProgram(['tools', 'explain', ...args], {
      cwd: directory.path,
      environment: { DATABASE_URL: database.url },
    })
  expect((await explain()).stdout).toBe('No model has called a tool yet.\n')
  const counted = { model: 'a', last_category: null, last_failure_at: null }
  await database.db
    .insertInto('model_standing')
    .values([
      { ...counted, tool: 'read', part: 1, successes: 7 },
      {
        ...counted,
        ...{ tool: 'read', part: 2, successes: 1, quality_failures: 1 },
        last_category: 'type_mismatch',
        last_failure_at: new Date('2026-01-02T03:04:05Z'),
      },
      { ...counted, tool: 'bash', part: 2, successes: 3 },
    ])
    .execute()
  const { stdout, stderr, exitCode } = await explain()
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout.split('\n')).toEqual([
    'MODEL  TOOL  STANDING  WORKED  ASKED WRONGLY  LAST TIME (UTC)   WHY',
    'a      bash  100 %     3       0              -                 -',
    'a      read  90 %      8       1              2026-01-02 03:04  type_mismatch',
    '',
  ])
  const lines = (await explain('--json')).stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { model: 'a', tool: 'bash', standing: 1, successes: 3, qualityFailures: 0 },
    { tool: 'read', standing: 0.9, qualityFailures: 1, lastCategory: 'type_mismatch' },
  ])
})

test('ERR-06 a name that a model made up cannot draw on the terminal', () => {
  const [, row] = standingsTable([
    {
      ...{ model: 'a\u001b[2J', tool: 'b\nc', standing: 1, successes: 1, qualityFailures: 0 },
      ...{ lastCategory: null, lastFailureAt: null },
    },
  ])
  expect(row).not.toContain('\u001b')
  expect(row).not.toContain('\n')
})
