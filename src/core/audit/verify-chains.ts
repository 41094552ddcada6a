import { findHeadlessChains, findHeads } from '../../db/audit/audit-log.ts'
import type { Db } from '../../db/schema.ts'
import { readCuts } from './cut.ts'
import { readAnchors } from './read-anchors.ts'
import type { BrokenLink, CheckSignature } from './signed-text.ts'
import { verifyChain } from './verify-chain.ts'
import { verifyPeople } from './verify-people.ts'

export interface AuditReport {
  readonly chains: number
  readonly rows: number
  readonly checkpoints: number
  /** How often a month was dropped, with a signed record of it. */
  readonly cuts: number
  readonly broken: readonly BrokenLink[]
}

const window = 1000

/** `countersign audit verify`: recomputes every chain and holds it against its head and what was signed. */
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
