import { createFilePermissionsStore, readRulesFile } from '../adapters/permissions/file-store.ts'
import type { Config } from '../config/config.ts'
import type { CallContext } from '../core/call/gate/call-context.ts'
import { createRowPermissions } from '../core/call/gate/file-rules.ts'
import type { Db } from '../db/schema.ts'
import { defaultPermissions } from '../rules/gate/permissions/default-permissions.ts'
import { permissionsPlace } from './settings/permissions-place.ts'

type Stores = Pick<CallContext, 'permissions' | 'permissionsIn'>

/** Opens the configured store of rules. */
export function openPermissions(config: Config, db: Db): Stores {
  const file = createFilePermissionsStore({ dataDir: config.dataDir, seed: defaultPermissions })
  if (permissionsPlace(config) === 'file') return { permissions: file, permissionsIn: () => file }
  // Seeds with rules from the file used before, so that its denies are not lost.
  const seed = async (worker: string) =>
    (await readRulesFile(file.describe(worker))) ?? defaultPermissions
  const permissionsIn = createRowPermissions({ seed })
  return { permissions: permissionsIn(db), permissionsIn }
}
