import { z } from 'zod'
import { findChain, findCheckpoints, findHeadlessChains, findHeads } from '../../db/audit-log.ts'
import type { AuditRow, Db } from '../../db/schema.ts'
import { toStorable } from '../../util/storable.ts'
import { linkHash } from './link-hash.ts'

export interface BrokenLink {
  readonly chain: string
  readonly seq: number
  readonly why: string
}

export interface AuditReport {
  readonly chains: number
  readonly rows: number
  readonly checkpoints: number
  readonly broken: readonly BrokenLink[]
}

/** Checks a checkpoint's signature by its key id: true, false, or undefined where the key is not known here. */
export type CheckSignature = (kid: string, body: string, signature: string) => boolean | undefined

const window = 1000

const checkpointBody = z.object({
  heads: z.array(z.object({ chain: z.string(), seq: z.number(), hash: z.string() })),
})

/** `countersign audit verify`: recomputes every chain and holds it against its head and the signed checkpoints. */
export async function verifyChains(db: Db, check: CheckSignature): Promise<AuditReport> {
  const broken: BrokenLink[] = []
  const anchors = await readCheckpoints(db, check, broken)
  let rows = 0
  const heads = await findHeads(db)
  for (const head of heads) {
    const anchor = anchors.heads.get(head.chain)
    rows += await verifyChain(db, head, anchor, broken)
    anchors.heads.delete(head.chain)
  }
  for (const chain of await findHeadlessChains(db)) {
    broken.push({ chain, seq: 1, why: 'the chain has rows but no head' })
  }
  for (const [chain, anchor] of anchors.heads) {
    broken.push({ chain, seq: anchor.seq, why: 'a signed chain is missing' })
  }
  return { chains: heads.length, rows, checkpoints: anchors.count, broken }
}

interface Anchor {
  readonly seq: number
  readonly hash: string
}

async function readCheckpoints(db: Db, check: CheckSignature, broken: BrokenLink[]) {
  const heads = new Map<string, Anchor>()
  const checkpoints = await findCheckpoints(db)
  for (const checkpoint of checkpoints) {
    if (check(checkpoint.kid, checkpoint.body, checkpoint.signature) === false) {
      broken.push({ chain: 'checkpoint', seq: checkpoint.id, why: 'the signature is wrong' })
      continue
    }
    const body = checkpointBody.safeParse(JSON.parse(checkpoint.body))
    for (const head of body.data?.heads ?? []) heads.set(head.chain, head)
  }
  return { heads, count: checkpoints.length }
}

async function verifyChain(
  db: Db,
  head: { chain: string; seq: number; hash: string },
  anchor: Anchor | undefined,
  broken: BrokenLink[],
): Promise<number> {
  let previous = ''
  let seq = 0
  for (;;) {
    const rows = await findChain(db, head.chain, seq, window)
    for (const row of rows) {
      const why = brokenBecause(row, seq + 1, previous, anchor)
      if (why !== undefined) {
        broken.push({ chain: head.chain, seq: seq + 1, why })
        return seq
      }
      previous = row.hash
      seq = row.seq
    }
    if (rows.length < window) break
  }
  const why = brokenEnd(head, seq, previous, anchor)
  if (why !== undefined) broken.push({ chain: head.chain, seq: seq + 1, why })
  return seq
}

function brokenBecause(
  row: AuditRow,
  seq: number,
  previous: string,
  anchor: Anchor | undefined,
): string | undefined {
  if (row.seq !== seq) return `row ${seq} is missing`
  if (row.previous_hash !== previous) return 'it does not follow the row before it'
  if (row.hash !== linkHash(previous, row.chain, row.seq, row.body)) return 'its text was changed'
  if (!columnsAgree(row)) return 'its columns do not say what its text says'
  if (anchor?.seq === seq && anchor.hash !== row.hash) return 'it is not what a checkpoint signed'
  return undefined
}

function columnsAgree(row: AuditRow): boolean {
  const body: Record<string, unknown> = JSON.parse(row.body)
  const columns = [
    'kind',
    'session_id',
    'turn_id',
    'call_id',
    'tool',
    'caller_id',
    'verdict',
    'result',
  ]
  return (
    columns.every((name) => asColumn(body[name]) === row[name as keyof AuditRow]) &&
    body['at'] === row.at.toISOString()
  )
}

/** A column cannot hold all that JSON text can; it was cleaned on its way in. */
function asColumn(value: unknown): unknown {
  return typeof value === 'string' ? toStorable(value) : (value ?? null)
}

function brokenEnd(
  head: { seq: number; hash: string },
  seq: number,
  hash: string,
  anchor: Anchor | undefined,
): string | undefined {
  if (head.seq !== seq || head.hash !== hash) return 'rows were cut off at the end'
  if (anchor !== undefined && anchor.seq > seq) return 'rows that a checkpoint signed were cut off'
  return undefined
}
