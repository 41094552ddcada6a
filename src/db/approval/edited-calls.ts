import { sql } from 'kysely'
import { sha256 } from '../../util/digest.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../schema.ts'
import { fromNow } from './approvals.ts'
import { approvalsShownBy } from './card-copies.ts'

/**
 * Replaces the arguments of a waiting call with those of a person and marks it for evaluation. `votes`: the editor's
 * approval counts.
 */
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

/** Returns pending approvals of a turn, with cards shown, whose editor's approval was not counted yet. */
export function findEditedApprovals(
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

/** Lets this person replace the arguments by a reply to the card, for `forMs` milliseconds. */
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

/** Returns the pending approval whose arguments this caller may replace by replying to this message. */
export function findEditable(
  db: Db,
  conversationId: string,
  callerId: string,
  externalMessageId: string,
): Promise<ApprovalRow | undefined> {
  return approvalsShownBy(db, conversationId, externalMessageId)
    .innerJoin('edit_window', 'edit_window.approval_id', 'approval.id')
    .where('approval.state', '=', sql.lit('pending'))
    .where('edit_window.caller_id', '=', callerId)
    .where('edit_window.ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
}
