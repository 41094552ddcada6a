import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Client, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 300_000 })

const rounds = 500
let client: Client
let swapper: ChildProcess

/**
 * A shell loop swaps `d` between a directory and a link to the outside, and `f` between a file and a link. If a tool
 * created `d` meanwhile, nothing is moved into it, because a tree that grows with each round could not be removed.
 */
const swap = `while :; do
  mv -T d d.real 2>/dev/null || rm -rf d.real
  ln -sT "$OUT" d; rm -f d; mv -T d.real d 2>/dev/null
  ln -sfn "$OUT/secret" f; rm -f f; echo inside > f
done`

beforeEach(async () => {
  client = await startClient()
  const outside = join(client.root, 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'secret'), 'the secret\n')
  await writeFile(join(outside, 'x'), 'the secret\n')
  await mkdir(join(client.workspace, 'd'))
  await writeFile(join(client.workspace, 'd/secret'), 'inside\n')
  await writeFile(join(client.workspace, 'f'), 'inside\n')
  swapper = spawn('bash', ['-c', swap], {
    cwd: client.workspace,
    env: { PATH: process.env['PATH'] ?? '', OUT: outside },
    stdio: 'ignore',
  })
})

afterEach(async () => {
  const gone = once(swapper, 'close')
  swapper.kill('SIGKILL')
  await gone
  await client[Symbol.asyncDispose]()
})

/** Every path counts as judged, both as named and as it lies outside, so that only the executor's own checks remain. */
function call(tool: string, args: Readonly<Record<string, unknown>>) {
  const judged = ['f', 'd', 'd/secret', 'd/x', 'd/new/y', 'd/new'].flatMap((path) => [
    join(client.workspace, path),
    join(client.root, 'outside', path.replace(/^d\/?|^f$/, '')),
    join(client.root, 'outside/secret'),
    join(client.workspace, path.replace(/^d/, 'd.real')),
  ])
  return client.call(tool, args, { judged })
}

/** The same for tools that take entries. */
function callEntries(tool: string, args: Readonly<Record<string, string>>) {
  const judged = ['f', 'd', 'd/copy', 'copy', 'file'].flatMap((path) => [
    join(client.workspace, path),
    join(client.root, 'outside', path.replace(/^d\/?/, '')),
  ])
  return client.call(tool, args, { judged })
}

test('FILE-03 a link swapped in while files are read never shows what lies outside', async () => {
  let successes = 0
  for (let round = 0; round < rounds; round++) {
    const outcomes = await Promise.all([
      call('read', { path: 'f' }),
      call('read', { path: 'd/secret' }),
      call('list_directory', { path: 'd' }),
      call('edit', { path: 'd/secret', old_string: 'absent', new_string: 'x' }),
    ])
    successes += outcomes.filter(({ kind }) => kind === 'ok').length
    expect(JSON.stringify(outcomes)).not.toMatch(/the secret|\[file\] x/)
  }
  expect(successes).toBeGreaterThan(0)
})

test('FILE-03 a link swapped in while files are written never changes what lies outside', async () => {
  let successes = 0
  for (let round = 0; round < rounds; round++) {
    const outcomes = await Promise.all([
      call('write', { path: 'f', content: 'inside\n' }),
      call('write', { path: 'd/x', content: 'written\n' }),
      call('write', { path: 'd/new/y', content: 'written\n' }),
      call('create_directory', { path: 'd/new' }),
      call('edit', { path: 'd/secret', old_string: 'e', new_string: 'e!', replace_all: true }),
    ])
    successes += outcomes.filter(({ kind }) => kind === 'ok').length
  }
  expect(successes).toBeGreaterThan(0)
  const outside = join(client.root, 'outside')
  expect((await readdir(outside)).sort()).toEqual(['secret', 'x'])
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('the secret\n')
  expect(await readFile(join(outside, 'x'), 'utf8')).toBe('the secret\n')
})

test('FILE-03 FILE-05 a link swapped in while trees are copied, moved and deleted takes nothing from outside, and nothing away there', async () => {
  let successes = 0
  const outside = join(client.root, 'outside')
  for (let round = 0; round < rounds; round++) {
    const copied = await Promise.all([
      callEntries('copy_path', { source: 'd', destination: 'copy' }),
      callEntries('copy_path', { source: 'f', destination: 'file' }),
    ])
    const moved = await callEntries('move_path', { source: 'copy', destination: 'd/copy' })
    const deleted = await Promise.all([
      callEntries('delete_path', { path: 'd/copy' }),
      callEntries('delete_path', { path: 'copy' }),
      callEntries('delete_path', { path: 'file' }),
    ])
    successes += [...copied, moved, ...deleted].filter(({ kind }) => kind === 'ok').length
    expect(await readdir(outside)).toEqual(['secret', 'x'])
  }
  expect(successes).toBeGreaterThan(0)
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('the secret\n')
})

test('FILE-04 a link swapped in while a tree is searched never shows what lies outside', async () => {
  for (let round = 0; round < 100; round++) {
    const grep = await call('grep', { pattern: 'secret|inside' })
    expect(JSON.stringify(grep)).not.toContain('the secret')
    const find = await call('find_path', { path: '.', pattern: '**' })
    expect(JSON.stringify(find)).not.toContain('d/x')
  }
})
