import { verify } from 'node:crypto'
import { type AuditReport, type CheckSignature, verifyChains } from '../core/audit/verify-chains.ts'
import type { Db } from '../db/schema.ts'
import { loadVerifyKeys, type VerifyKeys } from './load-verify-keys.ts'
import { type CommandInput, withBeside } from './open-beside.ts'
import { readSavedHeads, type SavedHead } from './read-saved-heads.ts'

export interface VerifyAuditInput extends CommandInput {
  readonly signal: AbortSignal
  /** A saved checkpoint, or a log that holds some: an anchor outside the database. */
  readonly checkpointFile?: string
}

/** What was found, and by which keys checkpoints were signed that nobody here knows. */
export interface AuditVerification extends AuditReport {
  readonly unknownKeys: readonly string[]
}

/** AUD-02: every chain against itself, its head, the signed checkpoints and, where given, one saved elsewhere. */
export async function verifyAudit(input: VerifyAuditInput): Promise<AuditVerification> {
  const { checkpointFile } = input
  const keys = await loadVerifyKeys(input.config)
  const saved = checkpointFile === undefined ? [] : await readSavedHeads(checkpointFile)
  const unknown = new Set<string>()
  const report = await withBeside(input, ({ db }) =>
    // One view of the database: rows that are added meanwhile are no gap.
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (view) => {
        const chains = await verifyChains(view, signatureCheck(keys, unknown))
        return { ...chains, broken: [...chains.broken, ...(await missingHeads(view, saved))] }
      }),
  )
  return { ...report, unknownKeys: [...unknown] }
}

function signatureCheck(keys: VerifyKeys, unknown: Set<string>): CheckSignature {
  return (kid, body, signature) => {
    const key = keys.get(kid)
    if (key !== undefined)
      return verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64'))
    unknown.add(kid)
    return undefined
  }
}

/** A chain that holds together may still be another one than the one that was seen before. */
async function missingHeads(db: Db, saved: readonly SavedHead[]): Promise<AuditReport['broken']> {
  const found = await Promise.all(
    saved.map(async ({ chain, seq, hash }) => {
      const row = await db
        .selectFrom('audit_log')
        .select('hash')
        .where('chain', '=', chain)
        .where('seq', '=', seq)
        .executeTakeFirst()
      return { chain, seq, isSame: row?.hash === hash }
    }),
  )
  return found
    .filter(({ isSame }) => !isSame)
    .map(({ chain, seq }) => ({ chain, seq, why: 'it is not what the saved checkpoint says' }))
}
