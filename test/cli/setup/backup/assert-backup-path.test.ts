import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertBackupPath } from '../../../../src/cli/setup/backup/make-backup.ts'
import { temporaryDirectory } from '../../../db/embedded/fixtures/temporary-directory.ts'

test('STORE-03 a backup is refused in a place that boxes see, or that it holds itself', async () => {
  await using directory = await temporaryDirectory()
  const dataDir = join(directory.path, 'data')
  const workspace = join(directory.path, 'workspace')
  const lent = join(directory.path, 'lent')
  for (const path of [
    join(workspace, 'sub'),
    lent,
    join(dataDir, 'workspaces'),
    join(dataDir, 'own'),
  ])
    await mkdir(path, { recursive: true })
  await symlink(workspace, join(directory.path, 'link'))
  const tools = { file: { allowedPaths: ['src'], allowRead: [] }, shell: { allowedPaths: [lent] } }
  const config = { dataDir, tools, worker: { workspace } } as unknown as Parameters<
    typeof assertBackupPath
  >[0]
  for (const place of ['workspace', 'workspace/sub', 'link', 'lent', 'data/workspaces']) {
    const file = join(directory.path, place, 'x.tar.gz')
    await expect(assertBackupPath(config, file)).rejects.toThrow(/name a file elsewhere/)
  }
  for (const place of ['.', 'data/own']) {
    await assertBackupPath(config, join(directory.path, place, 'x.tar.gz'))
  }
})
