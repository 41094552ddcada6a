import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupInput, makeBackup } from '../../../../src/cli/setup/backup/make-backup.ts'
import {
  type RestoreInput,
  restoreBackup,
} from '../../../../src/cli/setup/backup/restore-backup.ts'
import { Environment } from '../../../../src/config/env.ts'
import { loadConfig } from '../../../../src/config/load.ts'
import type { TestDatabase } from '../../../support/database/database.ts'

/** Environment of the commands for this database and data directory. */
export function inputOf({ url }: TestDatabase, dataDir: string) {
  const environment = new Environment({
    DATABASE_URL: url,
    COUNTERSIGN_DATA_DIR: dataDir,
    USER: 'ada',
  })
  const loaded = loadConfig({ cwd: dataDir, environment })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return { config: loaded.config, environment }
}

/** Backs up the data directory `name` below `directory`; returns the file. */
export async function backUp(
  database: TestDatabase,
  directory: string,
  name = 'from',
  more: Partial<BackupInput> = {},
): Promise<string> {
  const dataDir = join(directory, name)
  await mkdir(dataDir, { recursive: true })
  const file = join(directory, `${name}.tar.gz`)
  await makeBackup({ ...inputOf(database, dataDir), file, version: '1', ...more })
  return file
}

/** Restores into the data directory `to` below `directory`. */
export function restore(
  database: TestDatabase,
  directory: string,
  file: string,
  more: Partial<RestoreInput> = {},
) {
  const flags = { force: false, isMoved: false, byColumn: false, ...more }
  return restoreBackup({ ...inputOf(database, join(directory, 'to')), file, ...flags })
}
