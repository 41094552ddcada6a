import { sql } from 'kysely'
import { type ActivityState, liveTurnStates } from '../../domain/turn.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'
import { waitsForPeople } from './turns-at-work.ts'

/** What the turns of each of these places of a platform are at. */
export async function findPlaceStates(
  db: Db,
  platform: string,
  places: readonly string[],
): Promise<ReadonlyMap<string, ActivityState>> {
  const live = await placesOfTurns(db, platform)
    .select(waitsForPeople.as('waits'))
    .where('turn.state', 'in', literals(liveTurnStates))
    .where('conversation.external_id', 'in', places)
    .execute()
  const states = new Map<string, ActivityState>(places.map((place) => [place, 'idle']))
  for (const { place, waits } of live) {
    if (states.get(place) !== 'working') states.set(place, waits ? 'waiting' : 'working')
  }
  return states
}

/** Places of a platform in which a turn ended less than so many milliseconds ago; at most so many, the last first. */
export async function findEndedPlaces(
  db: Db,
  platform: string,
  { withinMs, most }: { readonly withinMs: number; readonly most: number },
): Promise<string[]> {
  const rows = await placesOfTurns(db, platform)
    .where('turn.ended_at', '>', sql<Date>`now() - make_interval(secs => ${withinMs / 1000})`)
    .groupBy('conversation.external_id')
    .orderBy(sql`max(turn.ended_at)`, 'desc')
    .limit(most)
    .execute()
  return rows.map(({ place }) => place)
}

function placesOfTurns(db: Db, platform: string) {
  return db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .select('conversation.external_id as place')
    .where('conversation.platform', '=', platform)
}

/** Whether turns began in threads of a chat. */
export async function hasTurnsBelow(db: Db, platform: string, chat: string): Promise<boolean> {
  const row = await placesOfTurns(db, platform)
    // As the index of chats has it; what is longer by a thread is below it.
    .where(sql<string>`split_part(conversation.external_id, '/', 1)`, '=', chat)
    .where('conversation.external_id', '!=', chat)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
