import type { Selectable } from 'kysely'
import { newId } from '../../util/new-id.ts'
import { lockByName } from '../locks.ts'
import type { Db, Schema } from '../schema.ts'

export type FileGrantRow = Selectable<Schema['file_grant']>
export type RulesOrderRow = Selectable<Schema['rules_order']>

/** The row of a rule that *Always* wrote into a worker's file, made where there is none: by its number it is taken back. */
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

/** Notes what a person wants of a worker's rules; an agent does it, which alone reaches them. */
export async function orderRules(
  db: Db,
  order: {
    readonly sessionId: string
    /** Where it is answered. */
    readonly conversationId: string
    readonly callerId: string
    /** What is to be taken out; absent: all are to be listed. */
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

/** What people want of rules, oldest first, at most 100. */
export function findRulesOrders(db: Db): Promise<RulesOrderRow[]> {
  return db.selectFrom('rules_order').selectAll().orderBy('created_at').limit(100).execute()
}

/** Takes an order that was carried out; false: somebody else did. */
export async function takeRulesOrder(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('rules_order')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
