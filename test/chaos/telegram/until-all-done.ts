import type { Place } from '../support/place.ts'

/** Waits until so many messages of people were taken, and everything that follows from them is done and recorded. */
export async function untilAllDone(
  place: Place,
  messages: number,
  patienceMs?: number,
): Promise<void> {
  await place.until(
    `${messages} messages are done with`,
    async (db) => {
      const said = await db
        .selectFrom('message')
        .select('id')
        .where('role', '=', 'user')
        .where('position', 'is not', null)
        .execute()
      const waiting = await db
        .selectFrom('inbound_event')
        .select('id')
        .where('handled_at', 'is', null)
        .execute()
      const live = await db.selectFrom('turn').select('id').where('ended_at', 'is', null).execute()
      const unsent = await db
        .selectFrom('outbox')
        .select('id')
        .where('state', '=', 'pending')
        .execute()
      const isDone = waiting.length + live.length + unsent.length === 0
      return isDone && said.length >= messages ? true : undefined
    },
    patienceMs,
  )
}
