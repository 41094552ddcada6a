import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { until } from '../support/flow.ts'
import { type Client, startClient } from './client.ts'

vi.setConfig({ testTimeout: 120_000 })

async function put(client: Client, path: string, content: string): Promise<string> {
  const file = join(client.workspace, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, content)
  return file
}

/**
 * Waits until the files are old enough for a fingerprint: recent changes get none for two seconds, because another change
 * might look the same.
 */
async function settled(...paths: readonly string[]): Promise<void> {
  await until('what was written has come to rest', async () => {
    const all = await Promise.all(paths.map((path) => stat(path)))
    return all.every(({ ctimeMs }) => ctimeMs < Date.now() - 2_100)
  })
}

type Args = Readonly<Record<string, unknown>>

async function nameOf(client: Client, tool: string, args: Args): Promise<string | undefined> {
  const outcome = await client.call(tool, args, { cache: {} })
  expect(outcome.kind).toBe('ok')
  return outcome.kind === 'ok' ? outcome.fingerprint : undefined
}

/**
 * Returns the fingerprint of a newly written `dir/a.txt`. If the machine was too slow for the file to count as new, tries
 * again.
 */
async function freshNameOf(client: Client, tool: string, args: Args): Promise<string | undefined> {
  for (;;) {
    const writtenAt = Date.now()
    await put(client, 'dir/a.txt', 'one\n')
    const name = await nameOf(client, tool, args)
    if (Date.now() - writtenAt < 1_900) return name
  }
}

const looks: readonly (readonly [string, Args])[] = [
  ['read', { path: 'dir/a.txt' }],
  ['grep', { pattern: 'one' }],
  ['grep', { pattern: 'one', path: 'dir/a.txt' }],
  ['grep', { pattern: 'one', glob: '*.txt' }],
]
const names: readonly (readonly [string, Args])[] = [
  ['list_directory', { path: 'dir' }],
  ['find_path', { path: '.', pattern: '*.txt' }],
]

async function openPlace() {
  const client = await startClient()
  const file = await put(client, 'dir/a.txt', 'one\n')
  await settled(file, join(client.workspace, 'dir'), client.workspace)
  return { client, file }
}

test('OUT-11 read-only tools return a fingerprint of what they read, and answer “unchanged” if it is known', async () => {
  const { client } = await openPlace()
  await using _client = client
  for (const [tool, args] of [...looks, ...names]) {
    const known = await nameOf(client, tool, args)
    expect(known, tool).toMatch(/^[0-9a-f]{64}$/)
    expect(await nameOf(client, tool, args)).toBe(known)
    const again = await client.call(tool, args, { cache: { known: known ?? '' } })
    expect(again, tool).toEqual({ kind: 'unchanged' })
  }
})

test('OUT-11 recent changes get no fingerprint, except for tools that list only names', async () => {
  await using client = await startClient()
  await put(client, 'dir/a.txt', 'one\n')
  for (const [tool, args] of looks) expect(await freshNameOf(client, tool, args)).toBeUndefined()
  for (const [tool, args] of names) expect(await nameOf(client, tool, args)).toBeDefined()
})

test('OUT-11 a file of the same size and with its old time has another fingerprint', async () => {
  const { client, file } = await openPlace()
  await using _client = client
  const { atime, mtime } = await stat(file)
  const before = await Promise.all(looks.map(([tool, args]) => nameOf(client, tool, args)))
  await writeFile(file, 'two\n')
  await utimes(file, atime, mtime)
  for (const [index, [tool, args]] of looks.entries()) {
    const known = before[index] ?? ''
    expect((await client.call(tool, args, { cache: { known } })).kind, tool).toBe('ok')
  }
  await settled(file)
  for (const [index, [tool, args]] of looks.entries()) {
    expect(await nameOf(client, tool, args)).not.toBe(before[index])
  }
})

test.each([
  ['comes', (client: Client) => put(client, 'dir/b.txt', 'x')],
  ['goes', (client: Client) => rm(join(client.workspace, 'dir/a.txt'))],
  [
    'gets another name',
    ({ workspace }: Client) => rename(join(workspace, 'dir/a.txt'), join(workspace, 'dir/c.txt')),
  ],
])('OUT-11 if a file %s, tools that list names answer anew', async (_how, change) => {
  const { client } = await openPlace()
  await using _client = client
  const before = await Promise.all(names.map(([tool, args]) => nameOf(client, tool, args)))
  await change(client)
  for (const [index, [tool, args]] of names.entries()) {
    const known = before[index] ?? ''
    expect((await client.call(tool, args, { cache: { known } })).kind, tool).toBe('ok')
  }
})

test('OUT-11 more files than can be compared quickly get no fingerprint, and are searched all the same', async () => {
  await using client = await startClient()
  const files = Array.from({ length: 10_001 }, (_, index) => `many/${index}`)
  await mkdir(join(client.workspace, 'many'))
  for (const file of files) await writeFile(join(client.workspace, file), '')
  await settled(join(client.workspace, 'many'), join(client.workspace, 'many/10000'))
  expect(
    await nameOf(client, 'grep', { path: 'many', pattern: 'x', glob: '10000' }),
  ).toBeUndefined()
})

test.skipIf(process.platform !== 'linux')(
  'OUT-11 files that change while their times stay, such as those of /proc, get no fingerprint',
  async () => {
    await using client = await startClient()
    await put(client, 'a.txt', 'one\n')
    const looked = { rules: { ...client.rules, allowed: ['/proc'] }, cache: {} }
    await settled('/proc/uptime', join(client.workspace, 'a.txt'))
    const outcome = await client.call('read', { path: '/proc/uptime' }, looked)
    expect(outcome).toMatchObject({ kind: 'ok' })
    expect(outcome).not.toHaveProperty('fingerprint')
    expect(await nameOf(client, 'read', { path: 'a.txt' })).toBeDefined()
  },
)

test('OUT-11 a fingerprint reveals no file names: two boxes have different ones for the same files', async () => {
  await using one = await startClient()
  await using other = await startClient()
  for (const client of [one, other]) await put(client, 'dir/key-4711.txt', '')
  for (const [tool, args] of names) {
    expect(await nameOf(one, tool, args)).not.toBe(await nameOf(other, tool, args))
  }
})

test('OUT-11 a fingerprint is made only on request; a wrong path is reported by the tool', async () => {
  const { client } = await openPlace()
  await using _client = client
  expect(await client.call('read', { path: 'dir/a.txt' })).not.toHaveProperty('fingerprint')
  const missing = await client.call('read', { path: 'none' }, { cache: {} })
  expect(missing).toMatchObject({ kind: 'error', error: { category: 'permanent_failure' } })
  const outside = await client.call('read', { path: '/etc/passwd' }, { cache: {} })
  expect(outside.kind).toBe('error')
})
