import { findHeadlessChains, findHeads } from '../../db/audit/audit-log.ts'
import {
  type AuditPerson,
  findAuditPeople,
  findForgotten,
  findUnknownAliases,
} from '../../db/audit/audit-people.ts'
import {
  findLastVerification,
  insertVerification,
  isVerificationDue,
} from '../../db/audit/audit-verifications.ts'
import { mayRead } from '../../db/audit/decided-calls.ts'
import { inSnapshot } from '../../db/database.ts'
import { tryLock } from '../../db/locks.ts'
import type { Db } from '../../db/schema.ts'
import { readAnchors, readCuts } from './anchors.ts'
import { aliasOf, type BrokenLink, type CheckSignature } from './record.ts'
import { verifyChain } from './verify-chain.ts'

const stolen = 'this pseudonym was given to somebody else'

const deleted =
  'it is not known whose pseudonym this is, and no record says that they were forgotten'

/** Maximum number of findings stored for a verification. */
const storedFindings = 20

export interface AuditReport {
  readonly chains: number
  readonly rows: number
  readonly checkpoints: number
  /** Number of months dropped with a signed record. */
  readonly cuts: number
  readonly broken: readonly BrokenLink[]
}

const window = 1000

/** `countersign audit verify`: recomputes every chain and compares it with its head and its signed positions. */
export async function verifyChains(db: Db, check: CheckSignature): Promise<AuditReport> {
  const anchors = await readAnchors(db, check, 'believed')
  const cuts = await readCuts(db, check)
  const { forged, contradictions } = anchors
  const broken: BrokenLink[] = [...forged, ...contradictions, ...cuts.broken]
  const missing = new Map(anchors.heads)
  let rows = 0
  let chains = 0
  for await (const { chain, ...head } of allHeads(db)) {
    const anchor = anchors.heads.get(chain)
    const cut = cuts.ends.get(chain)
    const found = await verifyChain(db, { chain, head, anchor, cut, signedAt: anchors.signedAt })
    rows += found.rows
    chains += 1
    if (found.broken !== undefined) broken.push({ chain, ...found.broken })
    missing.delete(chain)
  }
  for (const chain of await findHeadlessChains(db)) {
    broken.push({ chain, seq: 1, why: 'the chain has rows but no head' })
  }
  for (const [chain, anchor] of missing) {
    if ((cuts.ends.get(chain)?.seq ?? 0) >= anchor.seq) continue
    broken.push({ chain, seq: anchor.seq, why: 'a signed chain is missing' })
  }
  broken.push(...(await verifyPeople(db)))
  return { chains, rows, checkpoints: anchors.count, cuts: cuts.count, broken }
}

async function* allHeads(db: Db) {
  let last = ''
  for (;;) {
    const page = await findHeads(db, last, window)
    yield* page
    if (page.length < window) return
    last = page.at(-1)?.chain ?? last
  }
}

/**
 * Checks the audit's pseudonyms against their people: finds reassigned ones and those deleted without a record. Returns nothing
 * if the database role may not read them.
 */
async function verifyPeople(db: Db): Promise<readonly BrokenLink[]> {
  if (!(await mayRead(db, 'audit_person'))) return []
  const broken: BrokenLink[] = []
  let last = ''
  for (;;) {
    const page = await findAuditPeople(db, last, window)
    broken.push(...page.filter(isForged).map(({ alias }) => finding(alias, stolen)))
    last = page.at(-1)?.caller_id ?? last
    if (page.length < window) break
  }
  const unknown = await findUnknownAliases(db)
  if (unknown.length === 0) return broken
  const forgotten = await findForgotten(db)
  const lost = unknown.filter((alias) => !forgotten.has(alias))
  return [...broken, ...lost.map((alias) => finding(alias, deleted))]
}

function isForged({ caller_id, alias, key }: AuditPerson): boolean {
  return aliasOf(caller_id, key) !== alias
}

function finding(alias: string, why: string): BrokenLink {
  return { chain: alias, seq: 0, why }
}

interface ScheduledVerification {
  readonly report: AuditReport
  /** Whether the findings differ from those of the previous verification, if any. */
  readonly isNew: boolean
}

/**
 * Verifies the audit if the last verification is older than `everyMs`, and stores the result (AUD-02). Returns undefined if
 * another process is verifying or it is not due.
 */
export async function verifyWhenDue(
  db: Db,
  check: CheckSignature,
  everyMs: number,
): Promise<ScheduledVerification | undefined> {
  if (!(await isVerificationDue(db, everyMs))) return undefined
  return db.transaction().execute(async (locked) => {
    if (!(await tryLock(locked, 'verify the audit'))) return undefined
    if (!(await isVerificationDue(locked, everyMs))) return undefined
    // On a separate connection, so that rows appended meanwhile are not seen as gaps.
    const report = await inSnapshot(db, (view) => verifyChains(view, check))
    const findings = JSON.stringify(report.broken.slice(0, storedFindings))
    const last = await findLastVerification(locked)
    const { rows, chains, broken } = report
    await insertVerification(locked, { rows, chains, broken: broken.length, findings })
    return { report, isNew: last?.findings !== findings }
  })
}
