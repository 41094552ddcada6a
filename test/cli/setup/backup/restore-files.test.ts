import { readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFileRestorer } from '../../../../src/cli/setup/backup/restore-files.ts'
import type { TarEntry } from '../../../../src/util/tar/tar-entry.ts'
import { temporaryDirectory } from '../../../db/embedded/fixtures/temporary-directory.ts'

const file: TarEntry = {
  path: '',
  kind: 'file',
  mode: 0o600,
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  mtime: 0,
  size: 1,
  target: '',
}

function add(
  dataDir: string,
  entry: Partial<TarEntry>,
  files = createFileRestorer(dataDir),
): Promise<void> {
  const content = (async function* () {
    yield Buffer.from('x')
  })()
  return files.add({ entry: { ...file, ...entry }, sha256Before: '', content })
}

test('REL-02 a backup writes nowhere but below the data directory, also through no link', async () => {
  await using directory = await temporaryDirectory()
  await using outside = await temporaryDirectory()
  const to = directory.path
  await add(to, { path: 'data/workspaces', kind: 'directory' })
  await writeFile(join(outside.path, 'secret'), 'secret')
  for (const path of [
    'data/../out',
    'data/workspaces/../../out',
    'data/workspaces/./x',
    'data/workspaces//x',
    'data/keys/signing-key.pem',
    'data/postgres/x',
    '/data/workspaces/x',
    'elsewhere',
    'data',
  ]) {
    await expect(add(to, { path })).rejects.toThrow('may not be restored')
  }
  await add(to, { path: 'data/workspaces/link', kind: 'symlink', target: outside.path })
  await expect(add(to, { path: 'data/workspaces/link/x' })).rejects.toThrow('below a link')
  const through = { kind: 'link', target: 'data/workspaces/link/secret' } as const
  await expect(add(to, { path: 'data/workspaces/x', ...through })).rejects.toThrow('below a link')
  const away = { kind: 'link', target: '../../etc/passwd' } as const
  await expect(add(to, { path: 'data/workspaces/x', ...away })).rejects.toThrow(
    'may not be restored',
  )
  await symlink(outside.path, join(to, 'journal'))
  await expect(add(to, { path: 'data/journal/x' })).rejects.toThrow('below a link')
  await expect(add(to, { path: 'data/workspaces/link' })).rejects.toThrow('EEXIST')
  expect(await readdir(outside.path)).toEqual(['secret'])
})

test('STORE-03 a directory named like a link before it changes no mode outside; closed directories get theirs without setuid', async () => {
  await using directory = await temporaryDirectory()
  await using outside = await temporaryDirectory()
  const [to, target] = [directory.path, join(outside.path, 'secret')]
  await writeFile(target, 'secret', { mode: 0o600 })
  const files = createFileRestorer(to)
  const closed = { kind: 'directory', mode: 0o4655 } as const
  await add(to, { path: 'data/workspaces', kind: 'directory', mode: 0o755 }, files)
  await add(to, { path: 'data/workspaces/link', kind: 'symlink', target }, files)
  await add(to, { path: 'data/workspaces/link', ...closed }, files)
  await add(to, { path: 'data/workspaces/closed', ...closed }, files)
  await files.finish()
  expect((await stat(target)).mode & 0o7777).toBe(0o600)
  expect((await stat(join(to, 'workspaces', 'closed'))).mode & 0o7777).toBe(0o655)
})
