import { sql } from 'kysely'
import { type ActivityState, liveTurnStates } from '../../domain/turn.ts'
import { atWorker } from '../call/silent-calls.ts'
import { literals } from '../literals.ts'
import type { Db, TurnRow } from '../schema.ts'

/** SQL condition on `turn`: only approvals are left, and no worker is running anything or preparing a preview. */
const waitsForPeople = sql<boolean>`(turn.state = 'acting'
  and exists (
    select from tool_call where turn_id = turn.id and tool_call.state = 'awaiting_approval')
  and not exists (
    select from tool_call where turn_id = turn.id and (tool_call.state in (${sql.join(atWorker)})
      or (tool_call.state = 'awaiting_approval' and preview = 'wanted'))))`

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

/** True if a turn is in progress at this epoch. */
export async function isAtWork(db: Db, id: string, epoch: number): Promise<boolean> {
  const row = await db
    .selectFrom('turn')
    .select('id')
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', 'in', literals(['thinking', 'acting']))
    .where((eb) => eb.not(waitsForPeople))
    .executeTakeFirst()
  return row !== undefined
}

/** Makes the live turn of a session due if it is acting. */
export function makeLiveTurnDue(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set({ next_due: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('acting'))
    .returningAll()
    .executeTakeFirst()
}

interface TurnAddress {
  readonly platform: string
  /** Address of the conversation on its platform. */
  readonly place: string
  readonly epoch: number
  /** Worker that runs its tools. */
  readonly worker: string
  /** Caller of the turn. */
  readonly callerId: string
}

/** Returns the conversation of a live turn; undefined if the turn has ended or belongs to another conversation. */
export function findLiveTurnAddress(
  db: Db,
  { conversationId, turnId }: { readonly conversationId: string; readonly turnId: string },
): Promise<TurnAddress | undefined> {
  return db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .select([
      'conversation.platform',
      'conversation.external_id as place',
      'turn.epoch',
      'session.worker',
      'turn.caller_id as callerId',
    ])
    .where('turn.id', '=', turnId)
    .where('conversation.id', '=', conversationId)
    .where('turn.ended_at', 'is', null)
    .executeTakeFirst()
}

/** True if a turn of the session ended at `moment` or later. */
export async function hasTurnEndedSince(db: Db, sessionId: string, moment: Date): Promise<boolean> {
  const ended = await db
    .selectFrom('turn')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('ended_at', '>=', moment)
    .limit(1)
    .executeTakeFirst()
  return ended !== undefined
}

/**
 * True if the last turn of one of the conversation's sessions failed at or after `moment`, as returned by `readMoment`.
 * Earlier failures do not count: their message stayed in the transcript and a later turn continued from it.
 */
export async function hasEndedInFailure(
  db: Db,
  conversationId: string,
  moment: string,
): Promise<boolean> {
  const failed = await db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .select('turn.id')
    .where('session.conversation_id', '=', conversationId)
    .where('turn.state', '=', 'failed')
    .where('turn.ended_at', '>=', sql<Date>`${moment}::timestamptz`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('turn as later')
            .select('later.id')
            .whereRef('later.session_id', '=', 'turn.session_id')
            .whereRef('later.created_at', '>', 'turn.created_at'),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return failed !== undefined
}

/** Returns conversations with a queued turn, and its caller, to which this message was not posted since the turn was created. */
export async function findUntoldConversations(
  db: Db,
  body: string,
): Promise<readonly { readonly conversationId: string; readonly callerId: string }[]> {
  return db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .select(['session.conversation_id as conversationId', 'turn.caller_id as callerId'])
    .distinctOn('session.conversation_id')
    .where('turn.state', '=', 'queued')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox')
            .select('outbox.id')
            .whereRef('outbox.conversation_id', '=', 'session.conversation_id')
            .whereRef('outbox.created_at', '>=', 'turn.created_at')
            .where('outbox.body', '=', body),
        ),
      ),
    )
    .orderBy('session.conversation_id')
    .execute()
}
