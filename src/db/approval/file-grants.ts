import type { Selectable } from 'kysely'
import { newId } from '../../util/ids.ts'
import { lockByName } from '../locks.ts'
import type { Db, Schema } from '../schema.ts'

export type FileGrantRow = Selectable<Schema['file_grant']>
export type RulesOrderRow = Selectable<Schema['rules_order']>

/**
 * Returns the row of a rule that *Always* wrote into a worker's file, inserting it if missing. Its number is used to
 * revoke the rule.
 */
export async function ensureFileGrant(
  db: Db,
  rule: { readonly worker: string; readonly tool: string; readonly pattern: string },
): Promise<FileGrantRow> {
  const { worker, tool, pattern } = rule
  await lockByName(db, 'file grants')
  const rows = db.selectFrom('file_grant').where('worker', '=', worker)
  const found = await rows
    .selectAll()
    .where('tool', '=', tool)
    .where('pattern', '=', pattern)
    .executeTakeFirst()
  if (found !== undefined) return found
  const last = await rows.select((eb) => eb.fn.max('number').as('number')).executeTakeFirst()
  return db
    .insertInto('file_grant')
    .values({ id: newId(), worker, tool, pattern, number: (last?.number ?? 0) + 1 })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function findFileGrant(
  db: Db,
  of: { readonly id: string } | { readonly worker: string; readonly number: number },
): Promise<FileGrantRow | undefined> {
  const query = db.selectFrom('file_grant').selectAll()
  const one =
    'id' in of
      ? query.where('id', '=', of.id)
      : query.where('worker', '=', of.worker).where('number', '=', of.number)
  return one.executeTakeFirst()
}

/** Requests an operation on a worker's rules. An agent carries it out, since only agents can access the rules. */
export async function requestRules(
  db: Db,
  order: {
    readonly sessionId: string
    /** Conversation that receives the reply. */
    readonly conversationId: string
    readonly callerId: string
    /** Rule to remove; absent to list all rules. */
    readonly fileGrantId?: string
  },
): Promise<void> {
  await db
    .insertInto('rules_order')
    .values({
      id: newId(),
      session_id: order.sessionId,
      conversation_id: order.conversationId,
      caller_id: order.callerId,
      file_grant_id: order.fileGrantId ?? null,
    })
    .execute()
}

/** Returns requested operations on rules, oldest first, at most 100. */
export function findRulesOrders(db: Db): Promise<RulesOrderRow[]> {
  return db.selectFrom('rules_order').selectAll().orderBy('created_at').limit(100).execute()
}

/** Deletes a completed request; false if another agent completed it. */
export async function takeRulesOrder(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('rules_order')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
