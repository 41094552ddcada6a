import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** CHAT-09: size of a session's context. */
export interface ContextView {
  /** Turns of the transcript after its summary, without steps that are left out. */
  readonly turns: number
  readonly messages: number
  readonly leftOutSteps: number
  readonly shortenedMessages: number
  readonly compactedResults: number
  readonly compactedArguments: number
  readonly files: number
}

/** Measures a session's transcript from a position on. */
export async function readContextView(
  db: Db,
  sessionId: string,
  from: number,
): Promise<ContextView> {
  const messages = await db
    .selectFrom('message')
    .select([
      sql<number>`count(distinct turn_id)::int`.as('turns'),
      sql<number>`count(*) filter (where not is_left_out)::int`.as('messages'),
      sql<number>`count(*) filter (where is_left_out)::int`.as('leftOutSteps'),
      sql<number>`count(shortened)::int`.as('shortenedMessages'),
    ])
    .where('session_id', '=', sessionId)
    .where('position', '>=', from)
    .executeTakeFirstOrThrow()
  const calls = await db
    .selectFrom('tool_call')
    .innerJoin('message', 'message.id', 'tool_call.message_id')
    .select([
      sql<number>`count(compacted)::int`.as('compactedResults'),
      sql<number>`count(compacted_arguments)::int`.as('compactedArguments'),
    ])
    .where('tool_call.session_id', '=', sessionId)
    .where('message.position', '>=', from)
    .where('message.is_left_out', '=', sql.lit(false))
    .executeTakeFirstOrThrow()
  const { files } = await db
    .selectFrom('upload')
    .innerJoin('message', 'message.id', 'upload.message_id')
    .select(sql<number>`count(*)::int`.as('files'))
    .where('message.session_id', '=', sessionId)
    .executeTakeFirstOrThrow()
  return { ...messages, ...calls, files }
}

/** Returns the last prompt of a session; undefined if there was none. */
export function findLastPrompt(db: Db, sessionId: string) {
  return db
    .selectFrom('usage')
    .select(['model', 'prompt_bytes', 'input_tokens', 'budget_tokens'])
    .where('session_id', '=', sessionId)
    .where('prompt_bytes', '>', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
