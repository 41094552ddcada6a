import { toTextSigner } from '../../agent/to-text-signer.ts'
import type { Config } from '../../config/config.ts'
import type { Log } from '../../util/log.ts'
import type { AgentKeys } from '../keys/load-keys.ts'
import type { Store } from '../open-store.ts'
import { keepAudit } from './prune-audit.ts'

export interface AuditKeeperOptions {
  readonly config: Config
  readonly store: Store
  readonly keys: AgentKeys
  readonly log: Log
}

/** Creates the agent's daily maintenance of the audit, signed with the agent's key. */
export function createAuditKeeper(options: AuditKeeperOptions): () => Promise<void> {
  const { config, store, keys, log } = options
  const signer = toTextSigner(keys.signer)
  return () => keepAudit({ config, db: store.db, owner: store.owner, signer, log })
}
