import { sql } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db } from '../schema.ts'
import { type Positions, selectCallResults, selectTranscript } from './messages.ts'
import { selectSummary } from './summaries.ts'

/** Messages of a part of the transcript and the results of their calls, in one statement. */
export function findTranscriptRows(db: Db, sessionId: string, positions: Positions) {
  return db.selectNoFrom(partColumns(db, sessionId, positions)).executeTakeFirstOrThrow()
}

function partColumns(db: Db, sessionId: string, positions: Positions) {
  return [
    jsonArrayFrom(selectTranscript(db, sessionId, positions)).as('messages'),
    jsonArrayFrom(selectCallResults(db, sessionId, positions)).as('results'),
  ] as const
}

/** Columns of a statement that reads the transcript as the model is shown it: what was summed up, and what follows. */
export function transcriptColumns(db: Db, sessionId: string) {
  const from = sql<number>`coalesce((
    select max(to_position) from transcript_summary where session_id = ${sessionId}), 0)`
  return [
    ...partColumns(db, sessionId, { from }),
    jsonObjectFrom(selectSummary(db, sessionId).select(['body', 'authors'])).as('summary'),
  ] as const
}
