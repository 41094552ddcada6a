import { endApproval } from '../../../db/approval/approvals.ts'
import { isCardShown } from '../../../db/approval/card-copies.ts'
import { setEdited } from '../../../db/approval/edited-calls.ts'
import { wasShownTo } from '../../../db/approval/open-approvals.ts'
import { getCall } from '../../../db/call/tool-calls.ts'
import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../../db/schema.ts'
import { makeTurnDue } from '../../../db/turn/turns.ts'
import type { Caller } from '../../../domain/caller.ts'
import { editedArguments } from '../../../rules/tools/edited-arguments.ts'
import { parseArguments } from '../../../rules/tools/parse-arguments.ts'
import { findTool } from '../../../rules/tools/registry.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { loggedArguments } from '../../call/logged-arguments.ts'
import { updateCard } from '../../card/cards.ts'
import { recordAbout } from '../../card/record-about.ts'
import type { Transaction } from '../../transaction.ts'
import type { Decided } from './decided.ts'
import { describeState } from './describe-state.ts'
import { lockQuestion } from './lock-question.ts'
import { tellDecided } from './tell-decided.ts'

/**
 * APPR-14: a person changes what waits for approval. The question ends as superseded; an agent judges the changed call anew
 * and asks anew, with the editor's vote on the new card (DECISIONS 18) if all of it was shown or written by them. What was written wrongly changes nothing. Takes the
 * session's lock first.
 */
export async function editCall(
  tx: Transaction,
  known: ApprovalRow,
  by: Caller,
  written: string,
): Promise<Decided> {
  const locked = await lockQuestion(tx.ctx, tx.db, known, by)
  if (locked.kind === 'refused') return locked.decided
  const { approval } = locked
  if (approval.state !== 'pending') {
    return { kind: 'late', text: await describeState(tx.db, approval) }
  }
  const call = await getCall(tx.db, approval.call_id)
  const changed = toChanged(call, written)
  if (changed.kind === 'wrong') return { kind: 'forbidden', text: `Not changed: ${changed.why}` }
  const onlyUnexpired = tx.ctx.settings.onExpiry !== 'wait'
  const ended = await endApproval(tx.db, approval.id, {
    state: 'superseded',
    by: by.id,
    onlyUnexpired,
  })
  if (ended === undefined) return { kind: 'late', text: 'This question has expired.' }
  tellDecided(tx.effects, ended)
  const votes = changed.isWhole || (await hasSeen(tx.db, approval.id, by))
  const edited = await setEdited(tx.db, call, { text: changed.text, by: by.id, votes })
  // Both versions are audited; each as any arguments are.
  await recordAbout(tx.db, ended, {
    caller_id: by.id,
    arguments: tx.ctx.redact(loggedArguments(edited)),
    note: `changed before approval, from: ${tx.ctx.redact(loggedArguments(call))}`,
  })
  const why = 'asked anew, as changed'
  await updateCard(tx, ended, { kind: 'cancelled', why, by: await nameOf(tx.db, by.id) })
  const due = await makeTurnDue(tx.db, ended.turn_id)
  if (due !== undefined) tx.effects.wakeTurn(due)
  return { kind: 'applied', text: votes ? withVote : withoutVote }
}

const withVote = 'Changed; it is judged anew, with your approval.'
const withoutVote =
  'Changed; it is judged anew, without your approval: not all of it had been shown.'

/** APPR-16: what a person did not write was on a card that was wholly shown. */
async function hasSeen(db: Db, approvalId: string, by: Caller): Promise<boolean> {
  return (await isCardShown(db, approvalId)) || (await wasShownTo(db, approvalId, by.id))
}

type Changed =
  | { readonly kind: 'changed'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'wrong'; readonly why: string }

function toChanged({ tool, arguments: present }: ToolCallRow, written: string): Changed {
  const spec = findTool(tool)
  if (spec === undefined) return { kind: 'wrong', why: `there is no tool ${tool}` }
  const edited = editedArguments(spec, present, written)
  if (edited.kind === 'wrong') return edited
  const text = toStorable(edited.text)
  const parsed = parseArguments(spec, text)
  if (parsed.kind === 'error') return { kind: 'wrong', why: parsed.error.message }
  if (text === present) return { kind: 'wrong', why: 'that is what it says already' }
  return { kind: 'changed', text, isWhole: edited.isWhole }
}
