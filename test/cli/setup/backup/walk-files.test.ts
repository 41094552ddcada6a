import { execFileSync } from 'node:child_process'
import { link, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDirectory, openFile, walkFiles } from '../../../../src/cli/setup/backup/walk-files.ts'
import { temporaryDirectory } from '../../../db/embedded/fixtures/temporary-directory.ts'

/** Returns the names that a backup takes of `workspaces`; `after` is called once the entry of that name was yielded. */
async function taken(root: string, after: Readonly<Record<string, () => Promise<void>>> = {}) {
  const found: Record<string, string> = {}
  const leftOut: string[] = []
  for await (const { entry, content } of walkFiles(root, 'workspaces', (path, why) =>
    leftOut.push(`${path}: ${why}`),
  )) {
    const parts: Buffer[] = []
    for await (const part of content) parts.push(part)
    const name = entry.path.slice('data/workspaces'.length)
    found[name] = entry.kind === 'file' ? Buffer.concat(parts).toString() : entry.kind
    await after[name]?.()
  }
  return { found, leftOut }
}

test('REL-02 BOX-02 a folder that a command replaces by a link while a backup is made leads nowhere else', async () => {
  await using directory = await temporaryDirectory()
  const root = directory.path
  const folder = join(root, 'workspaces', 'one')
  await mkdir(join(root, 'keys'))
  await mkdir(join(folder, 'sub'), { recursive: true })
  for (const name of ['a', 'b']) await writeFile(join(root, 'keys', name), 'secret')
  for (const name of ['a', 'b']) await writeFile(join(folder, 'sub', name), 'theirs')
  const swap = async () => {
    await rename(join(folder, 'sub'), join(root, 'away'))
    await symlink('../../keys', join(folder, 'sub'))
  }
  const whole = { '/one/sub': 'directory', '/one/sub/a': 'theirs', '/one/sub/b': 'theirs' }
  expect((await taken(root, { '/one/sub': swap })).found).toMatchObject(whole)
  await rename(join(root, 'away'), join(folder, 'other'))
  expect((await taken(root, { '/one/other/a': swapOther })).found).toMatchObject({
    '/one/other/b': 'theirs',
    '/one/sub': 'symlink',
  })
  async function swapOther() {
    await rename(join(folder, 'other'), join(root, 'away'))
    await symlink('../../keys', join(folder, 'other'))
  }
})

test('REL-02 what is opened for a backup is never a link, a pipe or a socket, and no pipe is waited for', async () => {
  await using directory = await temporaryDirectory()
  const root = directory.path
  const pipe = join(root, 'pipe')
  execFileSync('mkfifo', [pipe])
  await writeFile(join(root, 'file'), 'text')
  await symlink('file', join(root, 'link'))
  await symlink('.', join(root, 'here'))
  for (const name of ['pipe', 'link', 'here']) {
    await expect(openFile(join(root, name))).rejects.toThrow('replaced')
    await expect(openDirectory(join(root, name))).rejects.toThrow('replaced')
  }
  await expect(openFile(root)).rejects.toThrow('replaced')
})

test('STORE-03 a backup closes what it opened, also when it ends early', async () => {
  await using directory = await temporaryDirectory()
  const folder = join(directory.path, 'workspaces', 'one')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'a'), 'x')
  await writeFile(join(folder, 'empty'), '')
  await link(join(folder, 'a'), join(folder, 'same'))
  const opened = async () => (await readdir('/proc/self/fd').catch(() => [])).length
  const before = await opened()
  const { found, leftOut } = await taken(directory.path)
  expect([found, leftOut]).toEqual([
    { '': 'directory', '/one': 'directory', '/one/a': 'x', '/one/empty': '', '/one/same': 'link' },
    [],
  ])
  for await (const { entry } of walkFiles(directory.path, 'workspaces', () => undefined)) {
    if (entry.path.endsWith('/a')) break
  }
  expect(await opened()).toBe(before)
})
