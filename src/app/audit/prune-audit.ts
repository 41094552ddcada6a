import { readFile } from 'node:fs/promises'
import { toTextSigner } from '../../agent/agent-identity.ts'
import type { Config } from '../../config/config.ts'
import { type Pruned, type PrunedMonth, pruneAudit as pruneMonths } from '../../core/audit/prune.ts'
import { record, type TextSigner } from '../../core/audit/record.ts'
import { ensureAuditPartitions, ownsAudit } from '../../db/audit/audit-partitions.ts'
import { type Connection, inTransaction, openDatabase } from '../../db/database.ts'
import type { Db, Schema } from '../../db/schema.ts'
import { CommandError } from '../../domain/command-error.ts'
import { createSigner } from '../../rules/jobs/sign.ts'
import { type Log, silentLog } from '../../util/log.ts'
import { signingKeyFile } from '../keys/load-keys.ts'
import { loadVerifyKeys } from '../keys/load-verify-keys.ts'
import { type CommandInput, withDatabase } from '../with-database.ts'
import { signatureCheck } from './verify-audit.ts'

/** Result for each month that is old enough, oldest first, or that another process is pruning. */
export type PrunedAudit = Pruned

export interface PruneAuditInput extends CommandInput {
  readonly signal: AbortSignal
  /** Overrides `[audit] retention_days`. */
  readonly days?: number
  /** True to only report what would be dropped. */
  readonly isTrial: boolean
}

/** AUD-03: drops months beyond the retention, as the owner of the tables. */
export async function pruneAudit(input: PruneAuditInput): Promise<PrunedAudit> {
  const { config, environment, isTrial } = input
  const retentionDays = input.days ?? config.audit.retentionDays
  if (retentionDays === 0) throw new CommandError(keptForEver, { code: 'AUDIT_KEPT_FOREVER' })
  const signer = await loadSigner(config)
  return withDatabase(input, async ({ db }) => {
    if (!(await ownsAudit(db))) throw new CommandError(notOwner, { code: 'NOT_DATABASE_OWNER' })
    const by = `console:${environment.user}`
    return prune(db, { config, retentionDays, signer, log: silentLog, isTrial, by })
  })
}

const keptForEver =
  '[audit] retention_days is 0, which keeps rows for ever: set it, or say how many with --days'
const notOwner =
  'this role may not drop rows of the audit: give DATABASE_URL the role that ran countersign migrate'

export interface KeepAuditOptions {
  readonly config: Config
  readonly db: Db
  /** Connection that creates tables. Nothing is dropped if it does not own them. */
  readonly owner: Connection
  readonly signer: TextSigner
  readonly log: Log
}

/** Daily maintenance of the audit: creates partitions ahead and drops months beyond the retention. */
export async function keepAudit(options: KeepAuditOptions): Promise<void> {
  const { config, db, owner, log } = options
  await ensureAuditPartitions(db)
  const { retentionDays } = config.audit
  if (retentionDays === 0) return
  await using opened = openDatabase<Schema>(owner, { max: 2, log })
  if (!(await ownsAudit(opened.db))) {
    log.warn({ retentionDays }, 'this role may not drop rows of the audit: run audit prune')
    return
  }
  const { signer } = options
  const how = { config, retentionDays, signer, log, isTrial: false, by: 'retention' }
  const pruned = await prune(opened.db, how)
  if (pruned.kind === 'busy') {
    log.warn(
      {},
      'somebody else prunes the audit right now, or keeps others from it: nothing was dropped',
    )
    return
  }
  for (const month of pruned.months) {
    if (month.kind === 'kept') log.warn({ ...month }, 'a month of the audit could not be dropped')
  }
}

interface How {
  readonly config: Config
  readonly retentionDays: number
  readonly signer: TextSigner
  readonly log: Log
  readonly isTrial: boolean
  readonly by: string
}

async function prune(db: Db, { config, by, ...how }: How): Promise<PrunedAudit> {
  const check = signatureCheck(await loadVerifyKeys(config), new Set())
  const pruned = await pruneMonths({ db, check, ...how })
  for (const month of pruned.kind === 'pruned' ? pruned.months : []) {
    if (month.kind === 'dropped' && !how.isTrial) await tell(db, by, month)
  }
  return pruned
}

async function tell(
  db: Db,
  by: string,
  { before, rows, chains }: Extract<PrunedMonth, { kind: 'dropped' }>,
): Promise<void> {
  const note = `dropped the month of the audit before ${before.toISOString()}: ${rows} rows of ${chains} chains`
  await inTransaction(db, (trx) =>
    record(trx, { kind: 'command', chain: 'system', caller_id: by, note }),
  )
}

/** Loads the agents' signing key. A new key would not be known to anybody. */
async function loadSigner(config: Config): Promise<TextSigner> {
  const file = config.signingKeyFile ?? signingKeyFile(config.dataDir)
  try {
    return toTextSigner(createSigner(await readFile(file, 'utf8')))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const text = `what is dropped has to be signed with the key of the agents, and ${file} cannot be used: ${why}`
    throw new CommandError(text, { code: 'KEYS_UNUSABLE', cause: error })
  }
}
