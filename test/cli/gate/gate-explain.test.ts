import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../../src/util/ids.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

const rules = {
  '*': 'ask',
  read: { '*': 'allow', '*.env': 'deny' },
  bash: { '*': 'ask', 'git log *': 'allow', 'rm *': 'deny' },
}

async function writeRules(cwd: string, worker = 'default'): Promise<void> {
  const file = join(cwd, 'data', 'workers', worker, 'permissions.jsonc')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(rules))
}

test('APPR-12 CLI-01 gate explain says first what would happen, then why, and exits with the action', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  await writeRules(cwd)
  const explain = (...args: string[]) => runProgram(['gate', 'explain', ...args], { cwd })
  const allowed = await explain('git log')
  expect(allowed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(allowed.stdout).toMatch(/^allow: it would run, and nobody is asked\n/)
  expect(allowed.stdout).toContain('▸ worker: bash "git log *" allow  ← decides')
  // Not a terminal, so no colours.
  expect(allowed.stdout).not.toContain('\u001b')
  const asked = await explain('git log | xargs tee x\u202e > y')
  expect(asked.exitCode).toBe(3)
  expect(asked.stdout).toMatch(/^ask: a person would be asked first\n/)
  expect(asked.stdout).toContain('hazard: xargs runs other commands')
  expect(asked.stdout).toContain('writes to y')
  expect(asked.stdout).not.toContain('\u202e')
  const refused = await explain('ls; rm -rf x')
  expect(refused.exitCode).toBe(4)
  expect(refused.stdout).toMatch(/^deny: it would be refused, and nobody is asked\n {2}because /)
  const file = await explain('--tool', 'read', '--path', 'a/../.env')
  expect(file).toMatchObject({ exitCode: 4 })
  expect(file.stdout).toContain('▸ worker: read "*.env" deny  ← decides')
})

test('APPR-12 without a database it judges by files, says what it could not see, and makes nothing', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const text = '[[tools.permissions.bash]]\npattern = "LS *"\naction = "deny"\n'
  await writeFile(join(cwd, 'countersign.toml'), text)
  const { exitCode, stdout } = await runProgram(['gate', 'explain', 'ls'], { cwd })
  expect(exitCode).toBe(4)
  expect(stdout).toContain('▸ operator: bash "LS *" deny  ← decides')
  expect(stdout).toMatch(/Not seen here\n {2}the database .*grants, trust/)
  expect(await readdir(cwd)).toEqual(['countersign.toml'])
})

test('APPR-12 CLI-01 --json is one line with the verdict and all that it was made of', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  await writeRules(cwd)
  const { stdout } = await runProgram(['gate', 'explain', '--json', 'git log'], { cwd })
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject({
    tool: 'bash',
    arguments: { command: 'git log' },
    worker: 'default',
    verdict: { action: 'allow', risk: 'medium', alwaysPatterns: ['git log'] },
    decisions: [{ about: 'git log', action: 'allow' }],
    analysis: { commands: [{ words: ['git', 'log'], standing: 'plain' }] },
  })
})

test.each([
  [['--tool', 'nope'], 'there is no tool "nope"'],
  [['--tool', 'read'], 'path: required field is missing'],
  [['--arguments', '{'], 'not valid JSON'],
  [['--worker', '../x', 'ls'], 'names no worker'],
])('APPR-12 CLI-01 gate explain %j is wrong usage', async (args, words) => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const { exitCode, stderr } = await runProgram(['gate', 'explain', ...args], { cwd })
  expect(exitCode).toBe(2)
  expect(stderr).toContain(words)
})

test('APPR-12 with a database it knows the boxes, and what Always granted to whom in which session', async () => {
  await using directory = await temporaryDirectory()
  await using database = await createTestDatabase()
  const { db, connection } = database
  const [session, conversation] = [newId(), newId()]
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx)
    await sql`insert into conversation (id, platform, external_id)
      values (${conversation}, 'console', 'x')`.execute(trx)
    await sql`insert into session (id, conversation_id, worker)
      values (${session}, ${conversation}, 'build')`.execute(trx)
    await sql`insert into grant_rule (id, number, session_id, caller_id, tool, pattern, approval_id, granted_by)
      values (${newId()}, 1, ${session}, 'console:ada', 'bash', 'ls *', ${newId()}, 'console:ada')`.execute(
      trx,
    )
    await sql`insert into worker (name, replica, public_key, beat, said_at, driver, confined, warnings,
        box_workspace, tools)
      values ('build', 'r', 'k', 1, now(), 'process', true, '[]', '/spaces/{workspace}', '[]')`.execute(
      trx,
    )
  })
  await writeRules(directory.path, 'build')
  const environment = { DATABASE_URL: toDatabaseUrl(connection) }
  const place = { cwd: directory.path, environment }
  const explain = (...args: string[]) => runProgram(['gate', 'explain', 'ls -l', ...args], place)
  const granted = await explain('--session', session, '--caller', 'console:ada')
  expect(granted.exitCode).toBe(0)
  expect(granted.stdout).toContain('session: bash "ls *" allow (granted)  ← decides')
  expect(granted.stdout).toContain(`worker: build, in /spaces/${conversation}`)
  expect(granted.stdout).not.toContain('Not seen here')
  const other = await explain('--session', session, '--caller', 'console:bob')
  expect(other.exitCode).toBe(3)
  const nobody = await explain('--worker', 'build')
  expect(nobody.exitCode).toBe(3)
  expect(nobody.stdout).toContain('name it with --session and --caller')
  const unknown = await explain('--session', newId())
  expect(unknown).toMatchObject({ exitCode: 2 })
})

test('APPR-12 MCP-03 gate explain judges a tool of a configured server by its arguments, and says what it has not seen', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  await writeFile(
    join(cwd, 'countersign.toml'),
    `[mcp.github]
url = "https://mcp.example.com/"

[[tools.permissions.mcp__github__create_issue]]
pattern = "repo=acme/*"
action = "allow"
`,
  )
  const file = join(cwd, 'data', 'workers', 'default', 'permissions.jsonc')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '{"github_create_issue": {"draft?=true": "deny"}}')
  const explain = (tool: string, args: string) =>
    runProgram(['gate', 'explain', '--tool', tool, '--arguments', args], { cwd })
  const allowed = await explain('github_create_issue', '{"repo":"acme/web"}')
  expect(allowed).toMatchObject({ exitCode: 0 })
  expect(allowed.stdout).toContain(
    'operator: mcp__github__create_issue "repo=acme/*" allow  ← decides',
  )
  expect(allowed.stdout).toContain('what the server github says of its tool')
  const denied = await explain('mcp__github__create_issue', '{"repo":"acme/web","draft":true}')
  expect(denied).toMatchObject({ exitCode: 4 })
  const asked = await explain('github_create_issue', '{"repo":"umbrella/x"}')
  expect(asked).toMatchObject({ exitCode: 3 })
  expect(asked.stdout).toContain('because github_create_issue: no rule matches\n')
  expect(asked.stdout).toContain('repo: umbrella/x')
  expect((await explain('gitlab_x', '{}')).stderr).toContain('there is no tool "gitlab_x"')
  const twice = await explain('github_create_issue', '{"repo":"acme/a","repo":"evil/b"}')
  expect(twice.stderr).toContain('this field stands more than once')
})
