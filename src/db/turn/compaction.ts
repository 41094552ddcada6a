import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Schema, TurnRow } from '../schema.ts'

/** Text of a call that can be replaced by a line. */
export interface CompactableText {
  readonly id: string
  readonly tool: string
  readonly text: string
}

type TurnAt = Pick<TurnRow, 'id' | 'session_id' | 'step'>

/** Result as shown in the transcript. */
const resultShown = sql<string>`coalesce(tool_call.summary, tool_call.result)`

/** LOOP-12: returns results longer than `least` characters that the model has seen, oldest first. */
export function findSeenResults(db: Db, turn: TurnAt, least: number): Promise<CompactableText[]> {
  return resultsIn(db, turn, least)
    .where((eb) => wasSeen(eb, turn))
    .orderBy('message.position')
    .orderBy('tool_call.ordinal')
    .execute()
}

/** Returns results that this step shows for the first time, longest first. */
export function findUnseenResults(db: Db, turn: TurnAt, least: number): Promise<CompactableText[]> {
  return resultsIn(db, turn, least)
    .where((eb) => eb.not(wasSeen(eb, turn)))
    .orderBy(sql`length(${resultShown})`, 'desc')
    .execute()
}

/** Returns arguments of settled calls, longer than `least` characters, whose results the model has seen, oldest first. */
export function findSeenArguments(db: Db, turn: TurnAt, least: number): Promise<CompactableText[]> {
  return callsIn(db, turn)
    .select('tool_call.arguments as text')
    .where('tool_call.compacted_arguments', 'is', null)
    .where('tool_call.settled_at', 'is not', null)
    .where(sql<number>`length(tool_call.arguments)`, '>', least)
    .where((eb) => wasSeen(eb, turn))
    .orderBy('message.position')
    .orderBy('tool_call.ordinal')
    .execute()
}

function resultsIn(db: Db, turn: TurnAt, least: number) {
  return callsIn(db, turn)
    .select(resultShown.as('text'))
    .where('tool_call.compacted', 'is', null)
    .where(sql<number>`length(${resultShown})`, '>', least)
}

/** Selects the calls that are in the transcript. */
function callsIn(db: Db, turn: TurnAt) {
  return db
    .selectFrom('tool_call')
    .innerJoin('message', 'message.id', 'tool_call.message_id')
    .select(['tool_call.id', 'tool_call.tool'])
    .where('tool_call.session_id', '=', turn.session_id)
    .where('message.is_left_out', '=', sql.lit(false))
    .where('message.position', '>=', firstShown(turn.session_id))
}

/** The batch shown for the first time is that of the previous step. */
function wasSeen(eb: ExpressionBuilder<Schema, 'tool_call'>, turn: TurnAt) {
  return eb.or([
    eb('tool_call.turn_id', '!=', turn.id),
    eb('tool_call.step', '<', eb.lit(turn.step - 1)),
  ])
}

function firstShown(sessionId: string) {
  return sql<number>`coalesce((
    select max(to_position) from transcript_summary where session_id = ${sessionId}), 0)`
}

/** Replaces the result in the transcript by `line`; the call keeps the result. */
export async function compactResult(db: Db, callId: string, line: string): Promise<void> {
  await db.updateTable('tool_call').set({ compacted: line }).where('id', '=', callId).execute()
}

/** Replaces the arguments in the transcript by the JSON `args`. */
export async function compactArguments(db: Db, callId: string, args: string): Promise<void> {
  await db
    .updateTable('tool_call')
    .set({ compacted_arguments: args })
    .where('id', '=', callId)
    .execute()
}

/** Replaces the message in the transcript by `text`; the row keeps the original. */
export async function shortenMessage(db: Db, id: string, text: string): Promise<void> {
  await db.updateTable('message').set({ shortened: text }).where('id', '=', id).execute()
}

/** Removes these messages and the results of their calls from the transcript. */
export async function leaveOut(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('message').set({ is_left_out: true }).where('id', 'in', ids).execute()
}

/** Returns the lowest ratio of bytes to tokens in the session's last prompts; undefined if the provider reported no tokens. */
export async function findBytesPerToken(
  db: Db,
  sessionId: string,
  model: string,
): Promise<number | undefined> {
  const rows = await db
    .selectFrom('usage')
    .select(sql<number>`prompt_bytes::float8 / input_tokens`.as('ratio'))
    .where('session_id', '=', sessionId)
    .where('model', '=', model)
    .where('state', '=', sql.lit('done'))
    .where('prompt_bytes', '>', 0)
    .where('input_tokens', '>', 0)
    .orderBy('created_at', 'desc')
    .limit(3)
    .execute()
  return rows.length === 0 ? undefined : Math.min(...rows.map(({ ratio }) => ratio))
}

/** Returns the size in bytes of the shortest prompt that the provider refused as too long; undefined if none. */
export function selectRefusedBytes(db: Db, sessionId: string, model: string) {
  return db
    .selectFrom('usage')
    .select(sql<number | null>`min(prompt_bytes)`.as('bytes'))
    .where('session_id', '=', sessionId)
    .where('model', '=', model)
    .where('is_too_long', '=', sql.lit(true))
    .where('prompt_bytes', '>', 0)
}

/** Records that a prompt was refused as too long; returns how often that happened in this step. */
export async function recordTooLong(
  db: Db,
  usageId: string,
  turn: Pick<TurnRow, 'id' | 'step'>,
): Promise<number> {
  await db.updateTable('usage').set({ is_too_long: true }).where('id', '=', usageId).execute()
  const { count } = await db
    .selectFrom('usage')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('turn_id', '=', turn.id)
    .where('step', '=', turn.step)
    .where('is_too_long', '=', sql.lit(true))
    .executeTakeFirstOrThrow()
  return count
}
