import { sql } from 'kysely'
import { type ActivityState, liveTurnStates } from '../../domain/turn.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'
import { waitsForPeople } from './turns-at-work.ts'

/** Returns the activity at each address of a platform. */
export async function findActivityStates(
  db: Db,
  platform: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, ActivityState>> {
  const live = await turnAddresses(db, platform)
    .select(waitsForPeople.as('waits'))
    .where('turn.state', 'in', literals(liveTurnStates))
    .where('conversation.external_id', 'in', addresses)
    .execute()
  const states = new Map<string, ActivityState>(addresses.map((place) => [place, 'idle']))
  for (const { place, waits } of live) {
    if (states.get(place) !== 'working') states.set(place, waits ? 'waiting' : 'working')
  }
  return states
}

/** Returns up to `most` addresses at which a turn ended less than `withinMs` ago, latest first. */
export async function findRecentlyEnded(
  db: Db,
  platform: string,
  { withinMs, most }: { readonly withinMs: number; readonly most: number },
): Promise<string[]> {
  const rows = await turnAddresses(db, platform)
    .where('turn.ended_at', '>', sql<Date>`now() - make_interval(secs => ${withinMs / 1000})`)
    .groupBy('conversation.external_id')
    .orderBy(sql`max(turn.ended_at)`, 'desc')
    .limit(most)
    .execute()
  return rows.map(({ place }) => place)
}

function turnAddresses(db: Db, platform: string) {
  return db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .select('conversation.external_id as place')
    .where('conversation.platform', '=', platform)
}

/** True if any turn started in a thread of a chat. */
export async function hasTurnsInThreads(db: Db, platform: string, chat: string): Promise<boolean> {
  const row = await turnAddresses(db, platform)
    // Uses the index on chats; an address longer than the chat's is a thread.
    .where(sql<string>`split_part(conversation.external_id, '/', 1)`, '=', chat)
    .where('conversation.external_id', '!=', chat)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
