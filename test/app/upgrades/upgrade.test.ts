import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runProgram } from '../../cli/run-program.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { keptCommits, makeDataDirectory, withDatabase } from './data-directory.ts'

const commits = await keptCommits()

test('STORE-03 the data directory of 2a656a9 is among those that are kept', () => {
  expect(commits).toContain('2a656a9')
})

test.each(commits)(
  'STORE-03 AUD-02 a data directory that %s filled: its approval is answered and runs once, its audit verifies, its files are there',
  async (commit) => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const dataDir = join(cwd, 'data')
    await makeDataDirectory(dataDir, commit)
    const run = (args: readonly string[], input = '') =>
      runProgram(args, {
        cwd,
        input,
        environment: { USER: 'ada', PATH: process.env['PATH'] ?? '' },
      })
    const answered = await run(['start'], '/approve\n')
    expect(answered.stdout).toMatch(/exit 0[\s\S]*later/)
    expect(answered.exitCode).toBe(0)
    const [workspace = ''] = await readdir(join(dataDir, 'workspaces'))
    const fileOf = (name: string) => readFile(join(dataDir, 'workspaces', workspace, name), 'utf8')
    expect([await fileOf('count'), await fileOf('notes.txt')]).toEqual(['later\n', 'hello'])
    expect((await run(['audit', 'verify'])).stdout).toMatch(/^ok: \d+ rows in \d+ chains, [1-9]/)
    const { stdout } = await run(['audit', '--json', '--limit', '100'])
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ tool, kind, result }) => [tool, kind, result])).toEqual([
      ['list_directory', 'decided', undefined],
      ['list_directory', 'settled', 'success'],
      ['write', 'decided', undefined],
      ['write', 'settled', 'success'],
      ['bash', 'decided', undefined],
      ['bash', 'settled', 'success'],
      ['bash', 'decided', undefined],
      ['bash', 'settled', 'success'],
    ])
    expect(new Set(rows.map(({ caller_id: caller }) => caller))).toEqual(new Set(['console:ada']))
    const next = await run(['start'], 'read notes.txt\n')
    expect([next.exitCode, next.stdout]).toEqual([0, expect.stringContaining('hello')])
  },
)

test('SHIP-05 STORE-03 a data directory that a newer version has used is refused with words, and left as it is', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const dataDir = join(cwd, 'data')
  await makeDataDirectory(dataDir, commits.at(-1) ?? '')
  const run = (input: string) => runProgram(['start'], { cwd, input, environment: { USER: 'ada' } })
  expect((await run('/status\n')).exitCode).toBe(3)
  const steps = async () => {
    const names: string[] = []
    await withDatabase(dataDir, async (db) => {
      const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
      names.push(...rows.map(({ name }) => name))
    })
    return names
  }
  await withDatabase(dataDir, async (db) => {
    await sql`insert into kysely_migration values ('20991231T000000-later', '2099-12-31')`.execute(
      db,
    )
  })
  const before = await steps()
  const refused = await run('/approve\n')
  expect(refused.exitCode).toBe(1)
  expect(refused.stderr).toBe(
    'error[DATABASE_OTHER_VERSION]: the database is of a newer version, which took the step 20991231T000000-later: start that version\n',
  )
  expect(await steps()).toEqual(before)
})
