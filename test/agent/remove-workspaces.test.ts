import { spawnSync } from 'node:child_process'
import { chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { removeWorkspaces } from '../../src/agent/keep-retention.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'

const util = fileURLToPath(new URL('../../src/util', import.meta.url))

type Places = Parameters<typeof removeWorkspaces>[0]

/** What the function reads of a configuration. */
function configOf(dataDir: string, workspace?: string): Places {
  return { dataDir, worker: { workspace } } as unknown as Places
}

/** Runs a module as somebody who is not root, for whom permissions count. */
function runUnprivileged(directory: string, lines: readonly string[]): string {
  const isRoot = process.getuid?.() === 0
  const args = ['--no-warnings', '--input-type=module', '--eval', lines.join('\n')]
  const account = isRoot ? { uid: 65_534, gid: 65_534 } : {}
  const { stderr } = spawnSync(process.execPath, args, { ...account, cwd: directory })
  return stderr.toString()
}

test('AUD-02 files below directories that a command closed are removed too, and what a link leads to stays', async () => {
  await using directory = await temporaryDirectory()
  const place = join(directory.path, 'place')
  await mkdir(place)
  for (const name of ['files.ts', 'has-code.ts'])
    await copyFile(join(util, name), join(place, name))
  if (process.getuid?.() === 0)
    for (const path of [place, directory.path]) await chown(path, 65_534, 65_534)
  const said = runUnprivileged(place, [
    "import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'",
    "import { removeTree } from './files.ts'",
    "mkdirSync('kept')",
    "writeFileSync('kept/file', 'x')",
    "mkdirSync('tree/closed/dark', { recursive: true })",
    "writeFileSync('tree/closed/dark/file', 'x')",
    "symlinkSync('../../kept', 'tree/closed/link')",
    "chmodSync('kept', 0o500)",
    "chmodSync('tree/closed/dark', 0)",
    "chmodSync('tree/closed', 0o500)",
    "await removeTree('tree')",
    "await removeTree('nothing')",
  ])
  expect(said).toBe('')
  expect((await readdir(place)).sort()).toEqual(['files.ts', 'has-code.ts', 'kept'])
  expect(await readdir(join(place, 'kept'))).toEqual(['file'])
})

test('AUD-02 workspaces and snapshots of a conversation go, others stay, and one that cannot go stops none', async () => {
  await using directory = await temporaryDirectory()
  const [one, two, stuck] = [1, 2, 3].map(
    (number) => `00000000-0000-7000-8000-00000000000${number}`,
  )
  if (one === undefined || two === undefined || stuck === undefined) throw new Error('no ids')
  const snapshots = [
    `${one}-0123456789abcdef`,
    `${one}-fedcba9876543210`,
    `${two}-0123456789abcdef`,
  ]
  for (const name of snapshots)
    await mkdir(join(directory.path, 'snapshots', name), { recursive: true })
  for (const id of [one, two])
    await mkdir(join(directory.path, 'workspaces', id), { recursive: true })
  const config = configOf(directory.path)
  // No file system has names that long.
  expect(await removeWorkspaces(config, ['x'.repeat(300), one, stuck])).toEqual(['x'.repeat(300)])
  expect(await readdir(join(directory.path, 'workspaces'))).toEqual([two])
  expect(await readdir(join(directory.path, 'snapshots'))).toEqual([`${two}-0123456789abcdef`])
  const shared = join(directory.path, 'workspaces', two)
  await writeFile(join(shared, 'file'), 'x')
  expect(await removeWorkspaces(configOf(directory.path, shared), [two])).toEqual([])
  expect(await readdir(shared)).toEqual(['file'])
  expect(await readdir(join(directory.path, 'snapshots'))).toEqual([])
})
