import { findApproval } from '../../../db/approval/approvals.ts'
import { findAsked } from '../../../db/approval/votes.ts'
import { isSamePerson } from '../../../db/people/caller-links.ts'
import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import { getTurn } from '../../../db/turn/turns.ts'
import { type Caller, may } from '../../../domain/caller.ts'
import { grantWords } from '../../../domain/grant-life.ts'
import { assertNever } from '../../../util/guards.ts'
import { utcTime } from '../../../util/text/clock-time.ts'
import { ruleOf, whoMayAnswer } from '../../card/count-votes.ts'
import type { CoreContext } from '../../context.ts'

export const noSuchApproval: Decided = { kind: 'unknown', text: 'There is no such question.' }

/**
 * CHAT-02: the caller of the turn by any of their accounts (APPR-18), approvers and operators may end the turn and deny its
 * approvals.
 */
export async function mayDecide(db: Db, by: Caller, callerId: string): Promise<boolean> {
  return may(by, 'decide_for_others') || (await isSamePerson(db, by.id, callerId))
}

/** Returns the refusal for a person who may not answer an approval; undefined if they may at least deny it. */
export async function refuseUnauthorised(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  by: Caller,
): Promise<Decided | undefined> {
  if (await mayAnswer(db, approval, by)) return undefined
  const rule = ruleOf(ctx, approval)
  const owner = await nameOf(db, approval.caller_id)
  const isPlain = rule.leastRole === 'user' && rule.allowSelf && rule.people === 1
  const who = isPlain ? `${owner} or an approver` : whoMayAnswer(rule, owner)
  return { kind: 'forbidden', text: `You may not answer this; ${who} can.` }
}

/** Whether a person may deny an approval; everyone who may approve it may also deny it. */
export async function mayAnswer(
  db: Db,
  approval: Pick<ApprovalRow, 'id' | 'caller_id'>,
  by: Caller,
): Promise<boolean> {
  if (await mayDecide(db, by, approval.caller_id)) return true
  return (await findAsked(db, approval.id)).has(by.id)
}

/** Outcome of a decision; `text` is shown to the person who decided. */
export interface Decided {
  readonly kind: 'applied' | 'late' | 'forbidden' | 'unknown'
  readonly text: string
}

type LockedApproval =
  | { readonly kind: 'question'; readonly approval: ApprovalRow }
  | { readonly kind: 'refused'; readonly decided: Decided }

/** Reads an approval under the session's lock, which it takes first, for a person who may at least deny it. */
export async function lockApproval(
  ctx: CoreContext,
  db: Db,
  known: Pick<ApprovalRow, 'id' | 'session_id'>,
  by: Caller,
): Promise<LockedApproval> {
  await lockSession(db, known.session_id)
  const approval = await findApproval(db, known.id)
  if (approval === undefined) return { kind: 'refused', decided: noSuchApproval }
  const decided = await refuseUnauthorised(ctx, db, approval, by)
  return decided === undefined ? { kind: 'question', approval } : { kind: 'refused', decided }
}

/** Describes who decided what and when, for a tap that comes too late (APPR-04). */
export async function describeState(db: Db, approval: ApprovalRow): Promise<string> {
  const at = approval.decided_at === null ? '' : when(approval.decided_at)
  const by = approval.decided_by === null ? '' : ` by ${await nameOf(db, approval.decided_by)}`
  switch (approval.state) {
    case 'pending':
      return 'This question still waits.'
    case 'approved':
      return `Already approved${by}${at}${lifeOf(approval)}.`
    case 'denied':
      return `Already denied${by}${at}.`
    case 'granted':
      return `A rule made with “Always” allowed it${at}.`
    case 'expired':
      return `This question expired${at}.`
    case 'superseded':
      return 'This question was replaced by a newer one.'
    case 'cancelled': {
      const turn = await getTurn(db, approval.turn_id)
      if (turn.stopped_by !== null) return `Stopped by ${turn.stopped_by}${at}.`
      return turn.state === 'stopped' ? `Cancelled${at}: ${turn.failure}.` : `Cancelled${at}.`
    }
    default:
      return assertNever(approval.state)
  }
}

function lifeOf({ life }: ApprovalRow): string {
  return life === null ? '' : `, ${grantWords[life]}`
}

function when(time: Date): string {
  const words = utcTime(time, new Date())
  return `${/^\d\d:/.test(words) ? ' at' : ' on'} ${words}`
}
