import { sql } from 'kysely'
import { sha256 } from '../../util/sha256.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../schema.ts'
import { fromNow } from './approvals.ts'
import { questionsShownBy } from './card-copies.ts'

/** Gives a waiting call the arguments that a person wrote; it is to be judged anew. `votes`: whoever wrote them has a vote. */
export function setEdited(
  db: Db,
  call: ToolCallRow,
  edited: { readonly text: string; readonly by: string; readonly votes: boolean },
): Promise<ToolCallRow> {
  return db
    .updateTable('tool_call')
    .set({
      arguments: edited.text,
      arguments_sha256: sha256(edited.text),
      original_arguments: call.original_arguments ?? call.arguments,
      edited_by: edited.by,
      edited_at: sql<Date>`now()`,
      editor_votes: edited.votes,
      state: 'allowed',
      canonical: null,
      base_sha256: null,
      preview: 'none',
    })
    .where('id', '=', call.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Pending questions of a turn about calls whose editor has a vote that was not counted yet, once their cards are out. */
export function findEditedQuestions(
  db: Db,
  turnId: string,
): Promise<(ApprovalRow & Pick<ToolCallRow, 'edited_by'>)[]> {
  return db
    .selectFrom('approval')
    .innerJoin('tool_call', 'tool_call.id', 'approval.call_id')
    .selectAll('approval')
    .select('tool_call.edited_by')
    .where('approval.turn_id', '=', turnId)
    .where('approval.state', '=', sql.lit('pending'))
    .where('approval.card_outbox_id', 'is not', null)
    .where('tool_call.editor_votes', '=', true)
    .orderBy('approval.number')
    .execute()
}

export async function endEditorVote(db: Db, callId: string): Promise<void> {
  await db.updateTable('tool_call').set({ editor_votes: false }).where('id', '=', callId).execute()
}

/** From now on a reply of this person to the card says what it should ask about. */
export async function openEditWindow(
  db: Db,
  approvalId: string,
  callerId: string,
  forMs: number,
): Promise<void> {
  const ends_at = fromNow(forMs)
  await db
    .insertInto('edit_window')
    .values({ approval_id: approvalId, caller_id: callerId, ends_at })
    .onConflict((conflict) =>
      conflict.columns(['approval_id', 'caller_id']).doUpdateSet({ ends_at }),
    )
    .execute()
}

/** The pending question that this caller may change by a reply to this message, if it is a copy of its card. */
export function findEditable(
  db: Db,
  conversationId: string,
  callerId: string,
  externalMessageId: string,
): Promise<ApprovalRow | undefined> {
  return questionsShownBy(db, conversationId, externalMessageId)
    .innerJoin('edit_window', 'edit_window.approval_id', 'approval.id')
    .where('approval.state', '=', sql.lit('pending'))
    .where('edit_window.caller_id', '=', callerId)
    .where('edit_window.ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
}
