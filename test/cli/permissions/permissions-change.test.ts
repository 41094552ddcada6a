import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultPermissions } from '../../../src/rules/gate/permissions/default-permissions.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { compileCache } from '../../support/database/compile-cache.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { mainProgram } from '../../support/run/programs.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** Rules in the database, each test's of a worker of its own. */
function rows(worker: string): Record<string, string> {
  return {
    DATABASE_URL: toDatabaseUrl(database.connection),
    COUNTERSIGN_TOOLS_PERMISSIONS_STORE: 'postgres',
    COUNTERSIGN_WORKER_NAME: worker,
    USER: 'ada',
  }
}

async function rowOf(worker: string) {
  return database.db
    .selectFrom('worker_permissions')
    .selectAll()
    .where('worker', '=', worker)
    .executeTakeFirst()
}

async function notesOf(worker: string): Promise<readonly unknown[]> {
  const found = (await auditRows(database.db)).filter((row) => row.kind === 'command')
  return found.map(({ body }) => JSON.parse(body)).filter((fields) => fields.worker === worker)
}

const mine = '{\n  // mine\n  "bash": { "git push *": "allow" }\n}\n'

test('GATE-04 CLI-01 permissions set, show and path keep rules in a file where there is no database yet', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const set = await runProgram(['permissions', 'set'], { cwd, input: mine })
  const file = join(cwd, 'data/workers/default/permissions.jsonc')
  expect(set).toMatchObject({ exitCode: 0, stderr: 'ok: 1 rules, from the input\n' })
  expect(set.stdout).toContain('  + bash "git push *" allow\n')
  expect(set.stdout).toContain(`saved: ${file}; they count from the next call on`)
  expect(await readFile(file, 'utf8')).toBe(mine)
  const again = await runProgram(['permissions', 'set'], { cwd, input: mine })
  expect(again).toMatchObject({ exitCode: 0, stdout: 'the same as before: nothing was changed\n' })
})

test('GATE-04 AUD-01 CLI-01 rules in the database are shown, set byte for byte, and each change is recorded', async () => {
  await using directory = await temporaryDirectory()
  const run = { cwd: directory.path, environment: rows('one') }
  const before = await runProgram(['permissions', 'show'], run)
  expect(before).toMatchObject({ exitCode: 0, stdout: defaultPermissions })
  expect(before.stderr).toContain('these are the defaults')
  expect(await rowOf('one')).toBeUndefined()
  await writeFile(join(run.cwd, 'rules.jsonc'), mine)
  const set = await runProgram(['permissions', 'set', 'rules.jsonc'], run)
  expect(set.exitCode).toBe(0)
  expect(set.stdout).toContain('saved: the rules of worker "one" in the database')
  expect(await rowOf('one')).toMatchObject({ text: mine, updated_by: 'console:ada' })
  const shown = await runProgram(['permissions', 'show'], run)
  const stderr = 'ok: 1 rules, the rules of worker "one" in the database\n'
  expect(shown).toEqual({ exitCode: 0, stdout: mine, stderr })
  expect(await notesOf('one')).toEqual([
    expect.objectContaining({
      caller_id: 'console:ada',
      chain: 'system',
      note: expect.stringMatching(
        /^changed the rules of worker "one": - \* "\*" ask; .*\+ bash "git push \*" allow$/,
      ),
    }),
  ])
  const path = await runProgram(['permissions', 'path'], run)
  expect(path).toMatchObject({ exitCode: 1, stdout: '' })
  expect(path.stderr).toContain('no file: the rules of worker "one" in the database')
  expect(await readdir(run.cwd)).toEqual(['rules.jsonc'])
})

test('GATE-04 AUD-01 a change of rules that hold a secret of the configuration is recorded without it', async () => {
  await using directory = await temporaryDirectory()
  const environment = { ...rows('secret'), ANTHROPIC_API_KEY: 'sk-ant-abcdef0123456789' }
  const input = '{ "bash": { "curl -H sk-ant-abcdef0123456789 *": "ask" } }'
  await runProgram(['permissions', 'set'], { cwd: directory.path, environment, input })
  const notes = JSON.stringify(await notesOf('secret'))
  expect(notes).toContain('curl -H')
  expect(notes).not.toContain('abcdef0123456789')
})

test('GATE-09 APPR-21 CLI-01 rules that are damaged or whose examples do not hold are not set, unless by force', async () => {
  await using directory = await temporaryDirectory()
  const run = { cwd: directory.path, environment: rows('two') }
  for (const [input, line] of [
    ['{\n"bash": "yes" }', 'input:2: "yes" is not an action'],
    [
      '{\n// match: ls\n"bash": {"x": "ask"} }',
      'input:2: example: the example "match:" stands at no rule',
    ],
  ] as const) {
    const refused = await runProgram(['permissions', 'set'], { ...run, input })
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain(line)
    expect(refused.stderr).toContain('nothing was changed; --force saves them all the same')
    expect((await rowOf('two'))?.text).not.toBe(input)
    const forced = await runProgram(['permissions', 'set', '--force'], { ...run, input })
    expect(forced.exitCode).toBe(0)
    expect((await rowOf('two'))?.text).toBe(input)
    const shown = await runProgram(['permissions', 'show'], run)
    expect(shown.exitCode).toBe(1)
  }
})

test('GATE-04 rules go into the database with the first use of what a file held, and a file that is left behind is told of', async () => {
  await using directory = await temporaryDirectory()
  const run = { cwd: directory.path, environment: rows('three') }
  const file = join(run.cwd, 'data/workers/three/permissions.jsonc')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '{ "bash": "deny" } // by hand\n')
  const first = await runProgram(['permissions', 'show'], run)
  expect(first.stdout).toBe('{ "bash": "deny" } // by hand\n')
  const set = await runProgram(['permissions', 'set'], { ...run, input: mine })
  expect(set.stdout).toContain('  - bash "*" deny\n  + bash "git push *" allow\n')
  const shown = await runProgram(['permissions', 'show'], run)
  expect(shown.stdout).toBe(mine)
  expect(shown.stderr).toContain(
    `warning: nobody reads ${file}: the rules are kept in the database`,
  )
  expect(await readFile(file, 'utf8')).toBe('{ "bash": "deny" } // by hand\n')
})

test('CLI-01 without a terminal permissions edit says what does it instead', async () => {
  await using directory = await temporaryDirectory()
  const { exitCode, stderr } = await runProgram(['permissions', 'edit'], { cwd: directory.path })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('countersign permissions set < file')
})

interface Edit {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** What the editor does, in the shell's words; `$1` is the file, `$CALLS` the number of its call. */
  readonly editor: string
  /** What the person types. */
  readonly input?: string
  readonly args?: string
}

/** Runs `permissions edit` in a terminal. */
async function edit({ cwd, environment, editor, input = '', args = '' }: Edit): Promise<{
  readonly code: number | null
  readonly output: string
}> {
  const file = join(cwd, 'editor')
  const count = 'echo x >> calls; CALLS=$(wc -l < calls)'
  await writeFile(file, `#!/bin/sh\n${count}\necho "$1" > copy-path\nenv > seen\n${editor}\n`)
  await chmod(file, 0o700)
  const env = {
    ...compileCache,
    PATH: '/usr/bin:/bin',
    HOME: cwd,
    TERM: 'dumb',
    COUNTERSIGN_DATA_DIR: `${cwd}/data`,
    TMPDIR: cwd,
    EDITOR: file,
    ...environment,
  }
  const command = `'${process.execPath}' '${mainProgram}' permissions edit ${args}`
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env })
  // The program may end before it has read all that is typed.
  child.stdin.on('error', () => undefined)
  let output = ''
  let isAnswered = input === ''
  child.stdout.on('data', (chunk) => {
    output += chunk
    // What is typed before the question would be the editor's.
    if (isAnswered || !String(output).includes('(d)iscard?')) return
    isAnswered = true
    child.stdin.write(`${input}\n`)
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output: output.replaceAll('\r', '') }
}

test('GATE-04 AUD-01 CLI-01 permissions edit opens a private copy, shows what changed, saves and records it', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const environment = { ...rows('four'), ANTHROPIC_API_KEY: 'sk-ant-abcdef0123456789' }
  const editor =
    'stat -c "%a" "$1" "$(dirname "$1")" > modes; sed -i \'s/"bash": "ask"/"bash": "deny"/\' "$1"'
  const { code, output } = await edit({ cwd, environment, editor })
  expect(output).toContain('  - bash "*" ask\n  + bash "*" deny\nsaved: the rules of worker "four"')
  expect(code).toBe(0)
  expect((await rowOf('four'))?.text).toBe(
    defaultPermissions.replace('"bash": "ask"', '"bash": "deny"'),
  )
  expect(await notesOf('four')).toEqual([
    expect.objectContaining({
      note: 'changed the rules of worker "four": - bash "*" ask; + bash "*" deny',
    }),
  ])
  expect(await readFile(join(cwd, 'modes'), 'utf8')).toBe('600\n700\n')
  expect((await readdir(cwd)).filter((name) => name.startsWith('countersign-edit'))).toEqual([])
  const seen = await readFile(join(cwd, 'seen'), 'utf8')
  expect(seen).toContain('TERM=dumb')
  expect(seen).not.toMatch(/abcdef0123456789|DATABASE_URL/)
})

test('GATE-09 CLI-01 permissions edit saves nothing that is damaged, and lets one edit on', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const editor = `if [ "$CALLS" = 1 ]; then echo '{"bash": "yes"}' > "$1"; else echo '{"bash": "ask"}' > "$1"; fi`
  const { code, output } = await edit({ cwd, environment: rows('five'), editor, input: 'e' })
  expect(output).toContain('permissions.jsonc:1: "yes" is not an action')
  expect(output).toContain('(e)dit, (d)iscard?')
  expect(output).toContain('saved: ')
  expect(code).toBe(0)
  expect((await rowOf('five'))?.text).toBe('{"bash": "ask"}\n')
})

test('GATE-09 APPR-21 CLI-01 what is discarded changes nothing; an example that does not hold may be saved knowingly', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const editor = `printf '{"bash": {\\n// match: x\\n"ls": "allow"}}' > "$1"`
  const environment = rows('six')
  const thrown = await edit({ cwd, environment, editor, input: 'd' })
  expect(thrown.output).toContain('example: "ls" is to match "x", and does not')
  expect(thrown.output).toContain('(e)dit, (s)ave, (d)iscard?')
  expect(thrown.output).toContain('nothing was changed')
  expect((await rowOf('six'))?.text).toBe(defaultPermissions)
  const saved = await edit({ cwd, environment, editor, input: 's' })
  expect(saved.code).toBe(0)
  expect((await rowOf('six'))?.text).toContain('// match: x')
})

test('INT-35 CLI-01 rules that somebody else changed meanwhile stay, and what was written is kept in a file that is named', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const file = join(cwd, 'data/workers/default/permissions.jsonc')
  const theirs = '{"bash": "deny"}'
  const editor = `echo '{"bash": "allow"}' > "$1"; printf '${theirs}' > '${file}'`
  const { code, output } = await edit({ cwd, environment: {}, editor })
  expect(code).toBe(1)
  expect(output).toContain('somebody else changed the rules meanwhile')
  const [, kept = ''] = /your text is in (\S+)/.exec(output) ?? []
  expect(await readFile(kept, 'utf8')).toBe('{"bash": "allow"}\n')
  expect(await readFile(file, 'utf8')).toBe(theirs)
})

test('CLI-01 when the editor fails nothing is saved and nothing is lost', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const { code, output } = await edit({ cwd, environment: {}, editor: 'echo half > "$1"; exit 3' })
  expect(code).toBe(1)
  const [, kept = ''] = /failed; your text is in (\S+)/.exec(output) ?? []
  expect(await readFile(kept, 'utf8')).toBe('half\n')
  const file = join(cwd, 'data/workers/default/permissions.jsonc')
  expect(await readFile(file, 'utf8')).toBe(defaultPermissions)
})
