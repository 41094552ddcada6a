import { sql } from 'kysely'
import type { GrantLife } from '../../domain/grant-life.ts'
import type { Db } from '../schema.ts'

/** Vote of one person on an approval. */
export interface Vote {
  readonly callerId: string
  readonly decision: 'approve' | 'always' | 'deny'
  /** Lifetime of the grant, for `always`. */
  readonly life: GrantLife | undefined
  readonly at: Date
}

/** Stores a vote. A person's first approval is kept, unless a denial replaces it. */
export async function insertVote(
  db: Db,
  approvalId: string,
  callerId: string,
  { decision, life }: Pick<Vote, 'decision' | 'life'>,
): Promise<void> {
  await db
    .insertInto('approval_vote')
    .values({ approval_id: approvalId, caller_id: callerId, decision, life: life ?? null })
    .onConflict((conflict) =>
      decision === 'deny'
        ? conflict
            .columns(['approval_id', 'caller_id'])
            .doUpdateSet({ decision, life: null, created_at: sql<Date>`now()` })
        : conflict.columns(['approval_id', 'caller_id']).doNothing(),
    )
    .execute()
}

/** Returns approving votes, oldest first. */
export async function findApprovingVotes(db: Db, approvalId: string): Promise<readonly Vote[]> {
  const rows = await db
    .selectFrom('approval_vote')
    .select(['caller_id as callerId', 'decision', 'life', 'created_at as at'])
    .where('approval_id', '=', approvalId)
    .where('decision', '!=', 'deny')
    .orderBy('created_at')
    .orderBy('caller_id')
    .execute()
  return rows.map(({ callerId, decision, life, at }) => {
    const isAlways = decision === 'always'
    return {
      callerId,
      at,
      decision: isAlways ? 'always' : 'approve',
      life: isAlways ? (life ?? 'always') : undefined,
    }
  })
}

/** Returns the people who were asked by name. */
export async function findAsked(db: Db, approvalId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('approval_asked')
    .select('caller_id')
    .where('approval_id', '=', approvalId)
    .execute()
  return new Set(rows.map((row) => row.caller_id))
}

/** True if an approval is pending. `onlyUnexpired` also checks expiry by the same clock (INT-5). */
export async function isOpen(db: Db, id: string, onlyUnexpired: boolean): Promise<boolean> {
  const row = await db
    .selectFrom('approval')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .$if(onlyUnexpired, (query) => query.where('expires_at', '>', sql<Date>`now()`))
    .executeTakeFirst()
  return row !== undefined
}
