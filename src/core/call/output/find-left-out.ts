import { findOverflow } from '../../../db/call/overflow.ts'
import type { Db } from '../../../db/schema.ts'
import { findPlace } from '../../../db/turn/messages.ts'
import { findSummaryById } from '../../../db/turn/transcript-summaries.ts'
import { isId } from '../../../util/is-id.ts'
import { readWholeEntries } from '../../session/read-transcript.ts'
import { drawTranscript } from './draw-transcript.ts'

/**
 * OUT-09, LOOP-12: the text that a reference of this session stands for: of an output, or of what made room in the transcript (the
 * turns of a summary, steps, a message). undefined: there is none, or it has expired.
 */
export async function findLeftOut(
  db: Db,
  sessionId: string,
  id: string,
  retentionDays: number,
): Promise<string | undefined> {
  if (!isId(id)) return undefined
  const kept = await findOverflow(db, sessionId, id, retentionDays)
  if (kept !== undefined) return kept
  const summary = await findSummaryById(db, sessionId, id)
  if (summary !== undefined) {
    const { from_position: from, to_position: to } = summary
    return drawTranscript(await readWholeEntries(db, sessionId, { from, to }))
  }
  const place = await findPlace(db, sessionId, id)
  if (place === undefined) return undefined
  return drawTranscript(await readRun(db, sessionId, place))
}

/** A message, and where it is a step that was left out, those left out that follow it. */
async function readRun(
  db: Db,
  sessionId: string,
  { position, isLeftOut }: { readonly position: number; readonly isLeftOut: boolean },
) {
  const to = isLeftOut ? undefined : position + 1
  const entries = await readWholeEntries(db, sessionId, { from: position, to })
  const end = entries.findIndex((entry) => !entry.isLeftOut)
  return isLeftOut && end !== -1 ? entries.slice(0, end) : entries
}
