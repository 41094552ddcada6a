import { databaseTime, insertCheckpoint, takeMovedHeads } from '../../db/audit/audit-log.ts'
import { inTransaction } from '../../db/database.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import type { CoreContext } from '../context.ts'
import type { TextSigner } from './signed-text.ts'

/**
 * Signs the heads of all chains that moved and writes the same to the log, an anchor outside the database: a cut tail
 * or a missing chain shows against it (AUD-02).
 */
export async function checkpoint(ctx: CoreContext, signer: TextSigner): Promise<void> {
  await inTransaction(ctx.db, async (db) => {
    const heads = await takeMovedHeads(db)
    if (heads.length === 0) return
    const at = await databaseTime(db)
    heads.sort((a, b) => (a.chain < b.chain ? -1 : 1))
    const body = canonicalJson({ at: at.toISOString(), heads })
    const signature = signer.signText(body)
    await insertCheckpoint(db, { at, body, kid: signer.kid, signature })
    ctx.log.info({ checkpoint: body, kid: signer.kid, signature }, 'audit checkpoint')
  })
}
