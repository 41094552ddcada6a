import { verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { type Cuts, readCuts } from '../../core/audit/anchors.ts'
import type { CheckSignature } from '../../core/audit/record.ts'
import { type AuditReport, verifyChains } from '../../core/audit/verify-chains.ts'
import { inSnapshot } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import { CommandError } from '../../domain/command-error.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { loadVerifyKeys, type VerifyKeys } from '../keys/load-verify-keys.ts'
import { type CommandInput, withDatabase } from '../with-database.ts'

const checkpointBody = z.object({
  heads: z.array(z.object({ chain: z.string(), seq: z.number(), hash: z.string() })),
})

const logLine = z.object({ checkpoint: z.string() })

export interface VerifyAuditInput extends CommandInput {
  readonly signal: AbortSignal
  /** File with a saved checkpoint, or a log with some, as an anchor outside the database. */
  readonly checkpointFile?: string
}

/** Findings, and ids of unknown keys that signed checkpoints. */
export interface AuditVerification extends AuditReport {
  readonly unknownKeys: readonly string[]
}

/** AUD-02: verifies every chain, its head, the signed checkpoints and, if given, a saved checkpoint. */
export async function verifyAudit(input: VerifyAuditInput): Promise<AuditVerification> {
  const { checkpointFile } = input
  const keys = await loadVerifyKeys(input.config)
  const saved = checkpointFile === undefined ? [] : await readSavedHeads(checkpointFile)
  const unknown = new Set<string>()
  const report = await withDatabase(input, ({ db }) =>
    inSnapshot(db, async (view) => {
      const check = signatureCheck(keys, unknown)
      const chains = await verifyChains(view, check)
      const missing = await missingHeads(view, saved, await readCuts(view, check))
      return { ...chains, broken: [...chains.broken, ...missing] }
    }),
  )
  return { ...report, unknownKeys: [...unknown] }
}

/** Creates a signature check with these keys; collects ids of unknown ones. */
export function signatureCheck(keys: VerifyKeys, unknown: Set<string>): CheckSignature {
  return (kid, body, signature) => {
    const key = keys.get(kid)
    if (key !== undefined)
      return verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64'))
    unknown.add(kid)
    return undefined
  }
}

/** Compares with saved heads, since a consistent chain may still have been replaced. */
async function missingHeads(
  db: Db,
  saved: readonly SavedHead[],
  { ends }: Cuts,
): Promise<AuditReport['broken']> {
  const broken: AuditReport['broken'][number][] = []
  for (const { chain, seq, hash } of saved) {
    const cut = ends.get(chain)
    // Dropped rows were compared with their checkpoints before.
    if (cut !== undefined && cut.seq > seq) continue
    const found = cut?.seq === seq ? cut.hash : await hashAt(db, chain, seq)
    if (found !== hash) broken.push({ chain, seq, why: 'it is not what the saved checkpoint says' })
  }
  return broken
}

async function hashAt(db: Db, chain: string, seq: number): Promise<string | undefined> {
  const query = db.selectFrom('audit_log').select('hash')
  const row = await query.where('chain', '=', chain).where('seq', '=', seq).executeTakeFirst()
  return row?.hash
}

/** End of a chain in a checkpoint. */
interface SavedHead {
  readonly chain: string
  readonly seq: number
  readonly hash: string
}

/**
 * Reads the newest head of every chain from a file of checkpoints, one a line: their bodies, or lines of
 * `countersign.log`, whose other lines are skipped. Throws CommandError if there is none.
 */
async function readSavedHeads(file: string): Promise<readonly SavedHead[]> {
  const heads = new Map<string, SavedHead>()
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    for (const head of headsIn(line)) {
      const known = heads.get(head.chain)
      if (known === undefined || known.seq < head.seq) heads.set(head.chain, head)
    }
  }
  if (heads.size > 0) return [...heads.values()]
  throw new CommandError(`${file} holds no checkpoint: give it one from countersign.log`, {
    code: 'CHECKPOINT_MISSING',
  })
}

function headsIn(line: string): readonly SavedHead[] {
  const json = tryParseJson(line)
  const logged = logLine.safeParse(json)
  const body = checkpointBody.safeParse(
    logged.success ? tryParseJson(logged.data.checkpoint) : json,
  )
  return body.success ? body.data.heads : []
}
