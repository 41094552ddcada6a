import { endApproval } from '../../../db/approval/approvals.ts'
import { isCardShown } from '../../../db/approval/card-copies.ts'
import {
  endEditorVote,
  findEditedApprovals,
  openEditWindow,
  setEdited,
} from '../../../db/approval/edited-calls.ts'
import { wasShownTo } from '../../../db/approval/open-approvals.ts'
import { getCall } from '../../../db/call/tool-calls.ts'
import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../../db/schema.ts'
import { makeTurnDue } from '../../../db/turn/turns.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { TapForm } from '../../../ports/chat.ts'
import { editableText, editedArguments } from '../../../rules/tools/edited-arguments.ts'
import { parseArguments } from '../../../rules/tools/parse-arguments.ts'
import { toPresumed } from '../../../rules/tools/presumed-tool.ts'
import { findTool } from '../../../rules/tools/registry.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { loggedArguments } from '../../call/audit-call.ts'
import { updateCard } from '../../card/cards.ts'
import { originOf } from '../../card/read-card.ts'
import { recordAbout } from '../../card/route-card.ts'
import type { CoreContext } from '../../context.ts'
import { findAnswerer } from '../../people/people.ts'
import type { Connected, Transaction } from '../../transaction.ts'
import { decideLocked } from './decide.ts'
import {
  type Decided,
  describeState,
  emitApprovalDecided,
  lockApproval,
  mayAnswer,
  refuseUnauthorised,
} from './settle-decision.ts'

/** Time in milliseconds within which a reply to the card counts as the edited call. */
const editMs = 10 * 60_000

/**
 * APPR-14: replaces the arguments of a call that waits for approval. The approval ends as superseded; an agent evaluates the
 * changed call and asks again, with the editor's vote (DECISIONS 18) if the editor was shown or wrote all of it. Invalid input
 * changes nothing. Takes the session's lock first.
 */
export async function editCall(
  tx: Transaction,
  known: ApprovalRow,
  by: Caller,
  written: string,
): Promise<Decided> {
  const messages = tx.ctx.messages.approvals
  const locked = await lockApproval(tx.ctx, tx.db, known, by)
  if (locked.kind === 'refused') return locked.decided
  const { approval } = locked
  if (approval.state !== 'pending') {
    return { kind: 'late', text: await describeState(tx, approval) }
  }
  const call = await getCall(tx.db, approval.call_id)
  const changed = toChanged(tx.ctx.messages, approval, call, written)
  if (changed.kind === 'wrong') {
    return { kind: 'forbidden', text: messages.editNotMade({ why: changed.why }) }
  }
  const onlyUnexpired = tx.ctx.settings.onExpiry !== 'wait'
  const ended = await endApproval(tx.db, approval.id, {
    state: 'superseded',
    by: by.id,
    onlyUnexpired,
  })
  if (ended === undefined) return { kind: 'late', text: messages.expired }
  emitApprovalDecided(tx.effects, ended)
  const votes = changed.isWhole || (await hasSeen(tx.db, approval.id, by))
  const edited = await setEdited(tx.db, call, { text: changed.text, by: by.id, votes })
  // Both versions are audited with the usual redaction.
  await recordAbout(tx.db, ended, {
    caller_id: by.id,
    arguments: tx.ctx.redact(loggedArguments(edited)),
    note: `changed before approval, from: ${tx.ctx.redact(loggedArguments(call))}`,
  })
  const why = tx.ctx.messages.cards.cancelReasons.edited
  await updateCard(tx, ended, { kind: 'cancelled', why, by: await nameOf(tx.db, by.id) })
  const due = await makeTurnDue(tx.db, ended.turn_id)
  if (due !== undefined) tx.effects.wakeTurn(due)
  return { kind: 'applied', text: votes ? messages.edited : messages.editedWithoutVote }
}

/** APPR-16: whether the parts the editor did not write were fully shown on a card. */
async function hasSeen(db: Db, approvalId: string, by: Caller): Promise<boolean> {
  return (await isCardShown(db, approvalId)) || (await wasShownTo(db, approvalId, by.id))
}

type Changed =
  | { readonly kind: 'changed'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'wrong'; readonly why: string }

/** The tool of an approval as far as it is known without its server. */
function specOf(approval: ApprovalRow, tool: string): ToolSpec | undefined {
  const origin = originOf(approval)
  return origin === undefined ? findTool(tool) : toPresumed(origin)
}

function toChanged(
  { approvals: messages }: Messages,
  approval: ApprovalRow,
  { tool, arguments: present }: ToolCallRow,
  written: string,
): Changed {
  const spec = specOf(approval, tool)
  if (spec === undefined) return { kind: 'wrong', why: messages.editNoTool({ tool }) }
  const edited = editedArguments(spec, present, written)
  if (edited.kind === 'wrong') return edited
  const text = toStorable(edited.text)
  const parsed = parseArguments(spec, text)
  if (parsed.kind === 'error') return { kind: 'wrong', why: parsed.error.message }
  if (text === present) return { kind: 'wrong', why: messages.editSame }
  return { kind: 'changed', text, isWhole: edited.isWhole }
}

/** APPR-14: opens an edit window for someone who may answer the approval; it stays answerable meanwhile. */
export async function awaitEdit(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  by: Caller,
): Promise<Decided> {
  const refused = await refuseUnauthorised(ctx, db, approval, by)
  if (refused !== undefined) return refused
  if (approval.state !== 'pending')
    return { kind: 'late', text: await describeState({ ctx, db }, approval) }
  await openEditWindow(db, approval.id, by.id, editMs)
  const { editPrompt } = ctx.messages.approvals
  const what = whatFor(ctx.messages, approval)
  return { kind: 'applied', text: editPrompt({ minutes: editMs / 60_000, what }) }
}

function whatFor({ approvals }: Messages, { tool }: ApprovalRow): string {
  const { command, url, arguments: others } = approvals.editSubjects
  switch (findTool(tool)?.ruledBy?.kind) {
    case 'command':
      return command
    case 'url':
      return url
    default:
      return others
  }
}

/**
 * APPR-14: counts an editor's change as one vote for the new approval, under the rule for its own risk, once its card and any
 * preview from the box are out. Returns whether any approval was decided.
 */
export async function countEditors(tx: Transaction, turnId: string): Promise<boolean> {
  let isAnswered = false
  for (const { edited_by, ...question } of await findEditedApprovals(tx.db, turnId)) {
    await endEditorVote(tx.db, question.call_id)
    const editor = edited_by === null ? undefined : await findAnswerer(tx.ctx, tx.db, edited_by)
    if (editor === undefined) continue
    const decision = { kind: 'approve', isAuthor: true } as const
    const decided = await decideLocked(tx, question, { by: editor, decision })
    isAnswered ||= decided.kind === 'applied'
  }
  return isAnswered
}

/** Returns the form that a button opens before it counts; undefined if it needs none or the person may not answer. */
export async function formFor(
  tx: Connected,
  approval: ApprovalRow,
  by: Caller,
  action: string,
): Promise<TapForm | undefined> {
  const asks = action === 'deny' || action === 'edit'
  if (!asks || approval.state !== 'pending' || !(await mayAnswer(tx.db, approval, by)))
    return undefined
  const { number } = approval
  if (action === 'deny') return { kind: 'reason', number }
  const { tool, arguments: text } = await getCall(tx.db, approval.call_id)
  const present = editableText(specOf(approval, tool), text)
  // A redaction mark must not become part of the edited call.
  return { kind: 'edit', number, present: tx.ctx.redact(present) === present ? present : '' }
}
