import { findChain } from '../../db/audit/audit-log.ts'
import type { AuditRow, Db } from '../../db/schema.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { isRecord } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { auditColumns, type ChainPosition, linkHash } from './record.ts'

/** Facts about a chain besides its rows. */
export interface ChainFacts {
  readonly chain: string
  /** Last row of the chain. */
  readonly head: ChainPosition
  /** Last row signed by a checkpoint. */
  readonly anchor: ChainPosition | undefined
  /** Last row dropped by retention. */
  readonly cut: ChainPosition | undefined
  /** Time of the newest checkpoint of any chain. */
  readonly signedAt?: Date | undefined
}

export interface ChainFinding {
  readonly rows: number
  /** First break and its reason. */
  readonly broken?: { readonly seq: number; readonly why: string }
}

const window = 1000
/** A row older than a checkpoint by this many milliseconds was committed before it. */
const signedWithinMs = 5 * 60_000

/** Recomputes a chain from its first row or its cut, and compares it with the known facts. */
export async function verifyChain(db: Db, facts: ChainFacts): Promise<ChainFinding> {
  const { chain, cut } = facts
  const start: ChainPosition = cut ?? { seq: 0, hash: '' }
  let last = start
  let after: AuditRow | undefined
  do {
    const rows = await findChain(db, chain, after, window)
    for (const row of rows) {
      const why = brokenBecause(row, last, facts)
      if (why !== undefined) {
        return { rows: last.seq - start.seq, broken: { seq: Math.min(row.seq, last.seq + 1), why } }
      }
      last = row
    }
    after = rows.length < window ? undefined : rows.at(-1)
  } while (after !== undefined)
  const why = brokenEnd(facts, last)
  const rows = last.seq - start.seq
  return why === undefined ? { rows } : { rows, broken: { seq: last.seq + 1, why } }
}

function brokenBecause(
  row: AuditRow,
  last: ChainPosition,
  { anchor, signedAt }: ChainFacts,
): string | undefined {
  if (row.seq > last.seq + 1) return `row ${last.seq + 1} is missing`
  if (row.seq <= last.seq) return 'it stands where no row is to be: put in, or dropped before'
  if (row.previous_hash !== last.hash) return 'it does not follow the row before it'
  const hash = linkHash(last.hash, row.chain, row.seq, row.body)
  if (row.hash !== hash) return 'its text was changed'
  if (!columnsAgree(row)) return 'its columns do not say what its text says'
  if (anchor?.seq === row.seq && anchor.hash !== row.hash)
    return 'it is not what a checkpoint signed'
  if (row.seq <= (anchor?.seq ?? 0) || signedAt === undefined) return undefined
  const isLeftOut = signedAt.getTime() - row.at.getTime() > signedWithinMs
  return isLeftOut ? 'later checkpoints left it out' : undefined
}

function columnsAgree(row: AuditRow): boolean {
  const fields = fieldsOf(row.body)
  if (fields['kind'] !== row.kind || fields['at'] !== isoOf(row.at)) return false
  const said = auditColumns(fields)
  const names = Object.keys(said) as (keyof typeof said)[]
  const stored = Object.fromEntries(names.map((name) => [name, row[name]]))
  return canonicalJson(stored) === canonicalJson(said)
}

/** PostgreSQL's `infinity` and years outside JavaScript's range have no ISO form. */
function isoOf(at: Date): string | undefined {
  return at instanceof Date && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined
}

/** Parses the fields of a row; empty if its body is no JSON object. */
function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  const value = tryParseJson(body)
  return isRecord(value) ? value : {}
}

function brokenEnd({ head, anchor, cut }: ChainFacts, last: ChainPosition): string | undefined {
  if (head.seq !== last.seq || head.hash !== last.hash) return 'rows were cut off at the end'
  if (anchor === undefined) return undefined
  if (anchor.seq > last.seq) return 'rows that a checkpoint signed were cut off'
  const isOther = cut !== undefined && anchor.seq === cut.seq && anchor.hash !== cut.hash
  return isOther ? 'what was dropped is not what a checkpoint signed' : undefined
}
