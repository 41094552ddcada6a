import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtinTools } from '../../../src/rules/tools/registry.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { requirement } from '../../support/run/requirements.ts'
import { runProgram } from '../run-program.ts'

interface Answer {
  readonly id?: unknown
  readonly ok: boolean
  readonly output: string
  readonly error?: { readonly category: string; readonly message: string }
  readonly envelope?: { readonly exit_code: number; readonly stdout: string }
}

async function place() {
  const directory = await temporaryDirectory()
  const workspace = join(directory.path, 'ws')
  await mkdir(workspace)
  await mkdir(join(directory.path, 'outside'))
  await writeFile(join(directory.path, 'outside/secret'), 'the secret')
  return {
    workspace,
    outside: join(directory.path, 'outside'),
    cwd: directory.path,
    async run(args: readonly string[], ...lines: readonly unknown[]) {
      const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
      const ended = await runProgram(['tools', 'run', '--workspace', 'ws', ...args], {
        cwd: directory.path,
        input: input.join('\n'),
      })
      const answers = ended.stdout.split('\n').filter(Boolean)
      return { ...ended, answers: answers.map((line): Answer => JSON.parse(line)) }
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

const call = (tool: string, args: object, id?: unknown) => ({ tool, arguments: args, id })

test('CLI-01 REG-06 tools run answers each line in order, whatever it asks, and leaves nothing behind', async () => {
  await using here = await place()
  const { exitCode, stderr, answers } = await here.run(
    ['--driver', 'process'],
    call('write', { path: 'a/b.txt', content: 'one\n' }, 1),
    call('bash', { command: 'cat a/b.txt; echo bad >&2; exit 3' }, { any: 'id' }),
    call('reed', {}, 'x'),
    call('read', { path: 'a/b.txt', limt: 1 }),
    '',
    'nonsense',
    { id: 9, tool: 'read' },
    call('read_overflow', { id: '00000000-0000-0000-0000-000000000000' }),
    { ...call('read', { path: 'a/b.txt' }), expected: 'one' },
  )
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
  expect(answers.map(({ id, ok, error }) => [id, ok, error?.category])).toEqual([
    [1, true, undefined],
    [{ any: 'id' }, true, undefined],
    ['x', false, 'tool_not_found'],
    [undefined, false, 'invalid_parameters'],
    [undefined, false, 'invalid_parameters'],
    [9, false, 'invalid_parameters'],
    [undefined, false, 'tool_not_found'],
    [undefined, true, undefined],
  ])
  expect(answers[1]).toMatchObject({
    output: 'one\nbad\n[exit code 3]',
    envelope: { stdout: 'one\n', exit_code: 3 },
  })
  expect(answers[2]?.error?.message).toContain('nearest are read')
  expect((await readdir(here.cwd)).sort()).toEqual(['outside', 'ws'])
})

requirement.bubblewrap(
  'BOX-01 FILE-01 FILE-02 tools run keeps to the directories and globs that it is given',
  async () => {
    await using here = await place()
    await writeFile(join(here.workspace, 'plain'), 'plain')
    await writeFile(join(here.workspace, '.env'), 'KEY=the secret')
    await symlink('plain', join(here.workspace, 'link'))
    await symlink(join(here.outside, 'secret'), join(here.workspace, 'out'))
    const lines = ['plain', 'link', '.env', 'out', join(here.outside, 'secret')].map((path) =>
      call('read', { path }, path),
    )
    const closed = await here.run(['--driver', 'bubblewrap', '--deny-read', '*.env'], ...lines)
    expect(closed.answers.map(({ ok, error }) => error?.category ?? ok)).toEqual([
      true,
      true,
      'policy_blocked',
      'policy_blocked',
      'policy_blocked',
    ])
    expect(closed.stdout).not.toContain('the secret')
    const open = await here.run(['--driver', 'bubblewrap', '--allowed', here.outside], ...lines)
    expect(open.answers.map(({ ok }) => ok)).toEqual([true, true, true, true, true])
    const write = call('write', { path: join(here.outside, 'new'), content: 'x' })
    const [readOnly] = (
      await here.run(['--driver', 'bubblewrap', '--allow-read', here.outside], write)
    ).answers
    expect(readOnly?.error?.category).toBe('policy_blocked')
    expect(await readdir(here.outside)).toEqual(['secret'])
  },
)

test('CONF-04 tools run says what is wrong with its options', async () => {
  await using here = await place()
  const bad = await here.run(['--deny-read', '[z-a'])
  expect(bad.exitCode).toBe(2)
  expect(bad.stderr).toContain('[z-a')
  expect((await here.run(['--driver', 'magic'])).exitCode).toBe(2)
  expect((await runProgram(['tools', 'run'], { cwd: here.cwd })).exitCode).toBe(2)
})

test('CLI-01 REG-01 tools list shows every tool, as a table or as JSON with the model’s schema', async () => {
  await using here = await place()
  const table = await runProgram(['tools', 'list'], { cwd: here.cwd })
  const names = table.stdout.split('\n').map((line) => line.split(' ')[0])
  expect(names).toEqual(['tool', ...builtinTools.map(({ name }) => name), ''])
  const json = await runProgram(['tools', 'list', '--json'], { cwd: here.cwd })
  const tools = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(tools.find(({ name }) => name === 'read')).toMatchObject({
    kind: 'read',
    mutating: false,
    inputSchema: { type: 'object', required: ['path'], additionalProperties: false },
  })
  expect(await readFile(join(here.outside, 'secret'), 'utf8')).toBe('the secret')
})
