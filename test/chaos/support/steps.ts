import type { ToolCallRow, TurnRow } from '../../../src/db/schema.ts'
import type { PersonsDeed, RealProduct } from '../../support/real-product.ts'
import { deed, type Place } from './place.ts'

/** Says something in a conversation. Throws when the product does not confirm it. */
export async function say(
  product: RealProduct,
  text: string,
  conversation?: string,
): Promise<void> {
  await confirmed(product, deed({ kind: 'message', text }, conversation))
}

export async function approve(product: RealProduct, approvalId: string): Promise<void> {
  await confirmed(product, approval(approvalId))
}

export function approval(approvalId: string): PersonsDeed {
  return deed({ kind: 'decision', approvalId, decision: { kind: 'approve' } })
}

async function confirmed(product: RealProduct, what: PersonsDeed): Promise<void> {
  if (!(await product.act(what))) throw new Error(`it was not taken: ${JSON.stringify(what.body)}`)
}

/** Waits for a card that was shown and waits for its answer. */
export function untilAsked(place: Place): Promise<string> {
  return place.until('a card is shown', async (db) => {
    const row = await db
      .selectFrom('approval')
      .innerJoin('outbox', 'outbox.id', 'approval.card_outbox_id')
      .select('approval.id')
      .where('approval.state', '=', 'pending')
      .where('outbox.state', '=', 'sent')
      .executeTakeFirst()
    return row?.id
  })
}

/** Waits until the last turn has ended and everything was sent. */
export function untilOver(place: Place): Promise<TurnRow> {
  return place.until('the turn is over', async (db) => {
    const turn = await db.selectFrom('turn').selectAll().orderBy('id', 'desc').executeTakeFirst()
    const unsent = await db
      .selectFrom('outbox')
      .select('id')
      .where('state', '=', 'pending')
      .execute()
    return turn?.ended_at != null && unsent.length === 0 ? turn : undefined
  })
}

export function lastCall(place: Place): Promise<ToolCallRow> {
  return place.look((db) =>
    db.selectFrom('tool_call').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow(),
  )
}

/** Waits until the last call has this state. */
export function untilCall(place: Place, state: ToolCallRow['state']): Promise<ToolCallRow> {
  return place.until(`the call is ${state}`, async (db) => {
    const call = await db
      .selectFrom('tool_call')
      .selectAll()
      .orderBy('id', 'desc')
      .executeTakeFirst()
    return call?.state === state ? call : undefined
  })
}
