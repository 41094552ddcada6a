import { setTimeout as delay } from 'node:timers/promises'
import { databaseTime, findHead } from '../../db/audit/audit-log.ts'
import {
  type AuditPartition,
  dropPartition,
  ensureAuditPartitions,
  findOldPartitions,
  findPartitionEnds,
  freezePartition,
  hasStrayRows,
  isLockTimeout,
  tryLockRetention,
} from '../../db/audit/audit-partitions.ts'
import { insertCut } from '../../db/audit/audit-verifications.ts'
import { inSnapshot } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import type { Log } from '../../util/log.ts'
import { type CutBody, readAnchors, readCuts } from './anchors.ts'
import type { CheckSignature, TextSigner } from './record.ts'
import { verifyChain } from './verify-chain.ts'

export interface PruneOptions {
  /** Connection as the owner of the tables, who alone may drop. */
  readonly db: Db
  readonly retentionDays: number
  readonly signer: TextSigner
  readonly check: CheckSignature
  readonly log: Log
  /** Reports what would be done without doing it. */
  readonly isTrial?: boolean
}

/** Result for a month whose rows all exceed the retention time. */
export type PrunedMonth =
  | {
      readonly kind: 'dropped'
      readonly before: Date
      readonly rows: number
      readonly chains: number
    }
  | { readonly kind: 'kept'; readonly before: Date; readonly why: string }

/** `busy`: another process prunes or holds its lock; nothing was done. */
export type Pruned =
  | { readonly kind: 'pruned'; readonly months: readonly PrunedMonth[] }
  | { readonly kind: 'busy' }

/**
 * AUD-02, AUD-03: drops expired months, oldest first, if their chains are intact and a signed checkpoint covers the last row of
 * each. Signs and keeps where each chain continues. Stops at the first month that must be kept.
 */
export async function pruneAudit(options: PruneOptions): Promise<Pruned> {
  const { db, retentionDays } = options
  if (retentionDays <= 0) return { kind: 'pruned', months: [] }
  return db.transaction().execute(async (lock) => {
    if (!(await tryLockRetention(lock))) return { kind: 'busy' }
    if (options.isTrial !== true) await ensureAuditPartitions(db)
    const months: PrunedMonth[] = []
    for (const month of await findOldPartitions(db, retentionDays)) {
      const pruned = await pruneMonth(options, month)
      months.push(pruned)
      if (pruned.kind === 'kept') break
    }
    return { kind: 'pruned', months }
  })
}

type ChainEnd = Awaited<ReturnType<typeof findPartitionEnds>>[number]

async function pruneMonth(options: PruneOptions, month: AuditPartition): Promise<PrunedMonth> {
  const before = month.beyond
  const looked = await lookAt(options, month)
  if ('why' in looked) return { kind: 'kept', before, why: looked.why }
  const { ends } = looked
  const rows = ends.reduce((sum, end) => sum + end.rows, 0)
  if (options.isTrial !== true) {
    const why = await dropPatiently(options, month, ends, rows)
    if (why !== undefined) return { kind: 'kept', before, why }
  }
  return { kind: 'dropped', before, rows, chains: ends.length }
}

/** Checks in one snapshot whether every chain with rows in the month is intact and signed. */
function lookAt(
  { db, check }: PruneOptions,
  { name, beyond }: AuditPartition,
): Promise<{ readonly ends: readonly ChainEnd[] } | { readonly why: string }> {
  return inSnapshot(db, async (trx) => {
    if (await hasStrayRows(trx, beyond))
      return { why: 'the default partition has rows of this month' }
    const ends = await findPartitionEnds(trx, name)
    const why = await whyNot(trx, check, ends)
    return why === undefined ? { ends } : { why }
  })
}

async function whyNot(
  db: Db,
  check: CheckSignature,
  ends: readonly ChainEnd[],
): Promise<string | undefined> {
  const anchors = await readAnchors(db, check, 'left out')
  const cuts = await readCuts(db, check)
  const [wrong] = cuts.broken
  if (wrong !== undefined) return `${wrong.chain} ${wrong.seq}: ${wrong.why}`
  // A forged checkpoint proves nothing and blocks nothing; if a spoiled one is needed, its absence shows below.
  const contradicted = new Map(anchors.contradictions.map((link) => [link.chain, link]))
  for (const { chain, seq } of ends) {
    const anchor = anchors.heads.get(chain)
    if (anchor === undefined || anchor.seq < seq) {
      return `no signed checkpoint covers row ${seq} of chain ${chain}`
    }
    const contradiction = contradicted.get(chain)
    if (contradiction !== undefined) {
      return `chain ${chain}, row ${contradiction.seq}: ${contradiction.why}`
    }
    const head = await findHead(db, chain)
    if (head === undefined) return `chain ${chain} has rows but no head`
    const { broken } = await verifyChain(db, { chain, head, anchor, cut: cuts.ends.get(chain) })
    if (broken !== undefined) return `chain ${chain}, row ${broken.seq}: ${broken.why}`
  }
  return undefined
}

const tries = 5
const betweenTriesMs = 1_000

/** Drops the month, retrying on lock time-outs. Returns why it could not, or undefined. */
async function dropPatiently(
  options: PruneOptions,
  month: AuditPartition,
  ends: readonly ChainEnd[],
  rows: number,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await drop(options, month, ends, rows)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (attempt === tries) return 'the audit is locked by a long-running reader; will retry later'
      await delay(betweenTriesMs)
    }
  }
}

async function drop(
  { db, signer, log }: PruneOptions,
  { name, beyond }: AuditPartition,
  ends: readonly ChainEnd[],
  rows: number,
): Promise<string | undefined> {
  return db.transaction().execute(async (trx) => {
    await freezePartition(trx, name)
    const now = await findPartitionEnds(trx, name)
    if (canonicalJson(now) !== canonicalJson(ends)) return 'rows were inserted meanwhile'
    const at = await databaseTime(trx)
    const body = canonicalJson({
      at: at.toISOString(),
      before: beyond.toISOString(),
      rows,
      chains: ends.map(({ chain, seq, hash }) => ({ chain, seq, hash })),
    } satisfies CutBody)
    const { kid } = signer
    if (rows > 0) await insertCut(trx, { at, body, kid, signature: signer.signText(body) })
    await dropPartition(trx, name)
    log.info({ partition: name, before: beyond, rows, chains: ends.length }, 'audit month dropped')
    return undefined
  })
}
