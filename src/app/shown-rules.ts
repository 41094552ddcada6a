import { createFilePermissionsStore, readRulesFile } from '../adapters/permissions/file-store.ts'
import type { Config } from '../config/config.ts'
import type { ShownRules } from '../core/inbox/shown-rules.ts'
import { findPermissions } from '../db/worker/worker-permissions.ts'
import { operatorRules } from './settings/operator-rules.ts'
import { permissionsPlace } from './settings/permissions-place.ts'

/**
 * What `/permissions` shows. Rules are made by agents alone, of the file that one of them may have: a gateway that made them of
 * the defaults would lose that. `hasFiles`: the agents' data directory is ours too.
 */
export function shownRules(config: Config, hasFiles: boolean): ShownRules {
  const operator = operatorRules(config)
  if (permissionsPlace(config) === 'postgres') {
    return {
      operator,
      read: async (db, worker) => (await findPermissions(db, worker))?.text ?? undefined,
    }
  }
  if (!hasFiles) return { operator }
  const store = createFilePermissionsStore({ dataDir: config.dataDir, seed: '' })
  return { operator, read: (_db, worker) => readRulesFile(store.describe(worker)) }
}
