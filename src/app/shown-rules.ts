import { createFilePermissionsStore, readRulesFile } from '../adapters/permissions/file-store.ts'
import type { Config } from '../config/config.ts'
import type { ShownRules } from '../core/inbox/shown-rules.ts'
import { findPermissions } from '../db/worker/worker-permissions.ts'
import { operatorRules } from './settings/operator-rules.ts'
import { permissionsPlace } from './settings/permissions-place.ts'

/**
 * Returns the rules that `/permissions` shows. Only agents create a worker's rules, from the seed file that one of them
 * may have; a gateway that created them from defaults would lose that seed. `hasFiles`: the agents' data directory is on
 * this machine.
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
