import { toTextSigner } from '../../agent/agent-identity.ts'
import type { Config } from '../../config/config.ts'
import { verifyWhenDue } from '../../core/audit/verify-chains.ts'
import type { CoreContext } from '../../core/context.ts'
import { alert, transact } from '../../core/transaction.ts'
import type { Log } from '../../util/log.ts'
import type { AgentKeys } from '../keys/load-keys.ts'
import { loadVerifyKeys } from '../keys/load-verify-keys.ts'
import type { Store } from '../open-store.ts'
import { keepAudit } from './prune-audit.ts'
import { signatureCheck } from './verify-audit.ts'

/**
 * Creates the task that verifies the audit as often as `[audit] verify_every` says (AUD-02), to be run more often than
 * that. A finding is logged each time, and operators are alerted once.
 */
export function createAuditVerifier(ctx: CoreContext, config: Config): () => Promise<void> {
  const everyMs = config.audit.verifyEveryMs
  return async () => {
    if (everyMs === 0) return
    const check = signatureCheck(await loadVerifyKeys(config), new Set())
    const verified = await verifyWhenDue(ctx.db, check, everyMs)
    if (verified === undefined) return
    const { report, isNew } = verified
    const { rows, chains, broken } = report
    if (broken.length === 0) return ctx.log.info({ rows, chains }, 'audit verified')
    ctx.log.error({ broken: broken.slice(0, 5), count: broken.length }, 'the audit is broken')
    if (!isNew) return
    const [first] = broken
    const where = first === undefined ? '' : `, first at chain ${first.chain}, row ${first.seq}`
    const text = `CRITICAL: the audit does not verify: ${broken.length} findings${where}. Run “countersign audit verify”.`
    await transact(ctx, (tx) => alert(tx, { text }))
  }
}

interface AuditKeeperOptions {
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
