import { endApproval, findApproval } from '../../../db/approval/approvals.ts'
import { isCardShown } from '../../../db/approval/card-copies.ts'
import { wasShownTo } from '../../../db/approval/open-approvals.ts'
import { insertVote, isOpen } from '../../../db/approval/votes.ts'
import { findAccounts } from '../../../db/people/caller-links.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import type { CardVotes, Decision } from '../../../domain/approval.ts'
import type { ApproverRule } from '../../../domain/approvers.ts'
import type { Caller } from '../../../domain/caller.ts'
import { type GrantLife, grantEnds } from '../../../domain/grant-life.ts'
import { english, type Messages } from '../../../domain/messages/messages.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { deciderOf, editCard, updateCard } from '../../card/cards.ts'
import {
  countVotes,
  mayAllowForAll,
  readCard,
  ruleOf,
  type Voter,
  type Votes,
} from '../../card/read-card.ts'
import { recordAbout } from '../../card/route-card.ts'
import type { CoreContext } from '../../context.ts'
import { type Connected, type Transaction, transact } from '../../transaction.ts'
import { giveReason } from './give-reason.ts'
import {
  type Decided,
  describeState,
  emitApprovalDecided,
  lockApproval,
  noSuchApproval,
  refuseApproval,
  settleApproval,
  settleDenial,
} from './settle-decision.ts'

/** Time in milliseconds within which a reason may follow a denial (TG-03). */
const explainMs = 5 * 60_000

/**
 * Records a person's answer to a card (APPR-04): authorised against the rule in force now, claimed atomically, idempotent. An
 * agent evaluates the call again and acts (INT-4).
 */
export function decide(
  ctx: CoreContext,
  approvalId: string,
  by: Caller,
  decision: Decision,
): Promise<Decided> {
  return transact(ctx, async (tx) => {
    const known = await findApproval(tx.db, approvalId)
    if (known === undefined) return noSuchApproval(ctx)
    return decideLocked(tx, known, { by, decision })
  })
}

/** A person's answer to an approval. */
export interface PersonsAnswer {
  readonly by: Caller
  readonly decision: Decision
  /** The conversation of the answer, where the card must have been shown before it can be approved; absent: any. */
  readonly at?: string | undefined
}

/** Records an answer within a transaction; takes the session's lock first. */
export async function decideLocked(
  tx: Transaction,
  known: ApprovalRow,
  { by, decision, at }: PersonsAnswer,
): Promise<Decided> {
  const locked = await lockApproval(tx.ctx, tx.db, known, by)
  if (locked.kind === 'refused') return locked.decided
  const { approval } = locked
  if (approval.state !== 'pending') return late(tx, { approval, by, decision, at })
  const rule = ruleOf(tx.ctx, approval)
  const forbidden = await refusal(tx, { approval, by, decision, rule, at })
  if (forbidden !== undefined) return forbidden
  if (decision.kind === 'deny') return deny(tx, { approval, by, decision, at })
  const life = decision.kind === 'always' ? (decision.life ?? 'always') : undefined
  return vote(tx, approval, { by, life, rule })
}

interface Answer {
  readonly approval: ApprovalRow
  readonly by: Caller
  readonly decision: Decision
  readonly rule: ApproverRule
  readonly at: string | undefined
}

/** Handles an answer to a decided approval. The decision stands, but the person who denied it may still add a reason. */
async function late(
  tx: Transaction,
  { approval, by, decision, at }: Omit<Answer, 'rule'>,
): Promise<Decided> {
  const text = await describeState(tx, approval)
  const isTheirs = approval.reason_until !== null && approval.decided_by === by.id
  if (!isTheirs || decision.kind !== 'deny') return { kind: 'late', text }
  if (isOpenDenial(decision)) return { kind: 'late', text: howToExplain(tx.ctx, approval, { at }) }
  const given = await giveReason(tx, approval, decision.reason)
  return given
    ? { kind: 'applied', text: tx.ctx.messages.approvals.denied }
    : { kind: 'late', text }
}

/** Returns why a person may not give this answer, or undefined if they may. */
async function refusal(
  { ctx, db }: Connected,
  { approval, by, decision, rule, at }: Answer,
): Promise<Decided | undefined> {
  if (decision.kind === 'deny') return undefined
  const forbidden = await refuseApproval({ ctx, db }, approval, by, rule)
  if (forbidden !== undefined) return forbidden
  const messages = ctx.messages.approvals
  if (readCard(approval).tooLarge === true) {
    return { kind: 'forbidden', text: messages.tooLarge }
  }
  if (decision.kind === 'always' && approval.always_patterns === '[]') {
    return { kind: 'forbidden', text: messages.alwaysNotOffered }
  }
  const isAuthor = decision.kind === 'approve' && decision.isAuthor === true
  // APPR-16: a card for several approvals does not show what *Always* would allow.
  const showing = decision.kind === 'always' ? 'alone' : undefined
  if (isAuthor || (await isCardShown(db, approval.id, { at, showing }))) return undefined
  // API clients see it in their own stream instead of on a card.
  if (await wasShownTo(db, approval.id, by.id)) return undefined
  return { kind: 'forbidden', text: await whereShown({ ctx, db }, approval.id, at) }
}

async function whereShown(
  { ctx, db }: Connected,
  id: string,
  at: string | undefined,
): Promise<string> {
  const { openCardFirst, cardElsewhere, cardNotShown } = ctx.messages.approvals
  if (await isCardShown(db, id, { at })) return openCardFirst
  if (at !== undefined && (await isCardShown(db, id))) return cardElsewhere
  return cardNotShown
}

interface Denial extends Omit<Answer, 'rule'> {
  readonly decision: Extract<Decision, { kind: 'deny' }>
}

async function deny(tx: Transaction, { approval, by, decision, at }: Denial): Promise<Decided> {
  const { reason } = decision
  const ended = await endApproval(tx.db, approval.id, {
    by: by.id,
    // APPR-19: with `wait`, an expired approval that the sweeper has not extended yet can still be answered.
    onlyUnexpired: tx.ctx.settings.onExpiry !== 'wait',
    state: 'denied',
    ...(isOpenDenial(decision) ? { explainMs } : {}),
    ...(reason === undefined || isOpenDenial(decision) ? {} : { reason: toStorable(reason) }),
  })
  if (ended === undefined) return { kind: 'late', text: tx.ctx.messages.approvals.expired }
  emitApprovalDecided(tx.effects, ended)
  await insertVote(tx.db, approval.id, by.id, { decision: 'deny', life: undefined })
  if (ended.reason_until === null) await settleDenial(tx, ended)
  else await awaitReason(tx, ended, ended.reason_until)
  const within = { at, minutes: explainMs / 60_000 }
  const how = isOpenDenial(decision) ? [howToExplain(tx.ctx, approval, within)] : []
  return { kind: 'applied', text: [tx.ctx.messages.approvals.denied, ...how].join(' ') }
}

/** TG-03: an ordinary message counts as the reason only in the conversation where the call was requested. */
function howToExplain(
  { messages: { approvals } }: CoreContext,
  approval: ApprovalRow,
  { at, minutes }: { readonly at: string | undefined; readonly minutes?: number },
): string {
  const isHere = at === undefined || at === approval.conversation_id
  if (minutes === undefined) return isHere ? approvals.explainHere : approvals.explainByReply
  const within = isHere ? approvals.explainHereWithin : approvals.explainByReplyWithin
  return within({ minutes })
}

/** Whether a reason may still follow the denial. */
function isOpenDenial(decision: Decision): boolean {
  return decision.kind === 'deny' && decision.mayExplain === true && !decision.reason
}

/** DECISION-16: the denial is claimed, so that no other decision applies; the model gets it with the reason or after the wait. */
async function awaitReason(tx: Transaction, denied: ApprovalRow, until: Date): Promise<void> {
  const decider = await deciderOf(tx, denied)
  await updateCard(tx, denied, {
    kind: 'denying',
    ...decider,
    until: until.toISOString(),
  })
}

/** Approval by one person; `life`: duration of *Always*, undefined for this call alone. */
interface Vote {
  readonly by: Caller
  readonly life: GrantLife | undefined
}

/**
 * Counts one approval per person (APPR-12) and ends the approval when there are enough by the rule in force now. Call under the
 * session's lock, for a person who may approve it.
 */
async function vote(
  tx: Transaction,
  approval: ApprovalRow,
  { by, life, rule }: Vote & { readonly rule: ApproverRule },
): Promise<Decided> {
  // APPR-19: with `wait`, an expired approval that the sweeper has not extended yet can still be answered.
  const onlyUnexpired = tx.ctx.settings.onExpiry !== 'wait'
  if (!(await isOpen(tx.db, approval.id, onlyUnexpired))) return expired(tx)
  const accounts = await findAccounts(tx.db, by.id)
  const before = await countVotes(tx.ctx, tx.db, approval, rule)
  const isRepeated = before.voters.some(({ caller }) => accounts.has(caller.id))
  if (!isRepeated)
    await insertVote(tx.db, approval.id, by.id, {
      decision: life === undefined ? 'approve' : 'always',
      life,
    })
  const votes = isRepeated ? before : await countVotes(tx.ctx, tx.db, approval, rule)
  if (!isRepeated && rule.people > 1) await noteVote(tx, approval, { by, life }, votes)
  if (votes.isEnough) return complete(tx, approval, by, votes)
  const { approvals } = tx.ctx.messages
  const count = approvals.votes({ approved: votes.voters.length, people: rule.people })
  return isRepeated
    ? { kind: 'late', text: approvals.voteRepeated({ votes: count }) }
    : { kind: 'applied', text: approvals.voteCounted({ votes: count }) }
}

function expired({ ctx }: Transaction): Decided {
  return { kind: 'late', text: ctx.messages.approvals.expired }
}

/** Shows and audits each vote, with its time, before there are enough. */
async function noteVote(
  tx: Transaction,
  approval: ApprovalRow,
  { by, life }: Vote,
  votes: Votes,
): Promise<void> {
  await recordAbout(tx.db, approval, {
    caller_id: by.id,
    note: `${wordOf(life)} as ${by.role}, question ${approval.number}: ${votes.voters.length} of ${votes.rule.people}`,
  })
  await editCard(tx, approval, { votes: onCard(votes) })
}

function onCard({ rule, voters }: Votes): CardVotes {
  const by = voters.map(({ caller, at }) => ({ name: caller.name, at: at.toISOString() }))
  return { people: rule.people, by }
}

async function complete(
  tx: Transaction,
  approval: ApprovalRow,
  by: Caller,
  { voters }: Votes,
): Promise<Decided> {
  const life = sharedLife(voters)
  const ended = await endApproval(tx.db, approval.id, {
    by: by.id,
    onlyUnexpired: tx.ctx.settings.onExpiry !== 'wait',
    state: 'approved',
    ...(life === undefined ? {} : { alwaysEffect: alwaysEffect(voters, life), life }),
  })
  if (ended === undefined) return expired(tx)
  emitApprovalDecided(tx.effects, ended)
  await settleApproval(tx, ended, by, life)
  return { kind: 'applied', text: approvedText(tx.ctx.messages, voters, life) }
}

/** THREAT-4: a rule for later calls needs every voter to have chosen *Always*; the shortest duration wins. */
function sharedLife(voters: readonly Voter[]): GrantLife | undefined {
  if (voters.some(({ life }) => life === undefined)) return undefined
  return grantEnds.find((end) => voters.some(({ life }) => life === end)) ?? 'always'
}

/** Applies to everybody only if all voters are approvers or operators; a grant that ends never does (APPR-15). */
function alwaysEffect(voters: readonly Voter[], life: GrantLife): 'session' | 'worker' {
  return life === 'always' && mayAllowForAll(voters) ? 'worker' : 'session'
}

function wordOf(life: GrantLife | undefined): string {
  return life === undefined ? 'approved' : `approved, ${english.approvals.lives[life]},`
}

function approvedText(
  { approvals }: Messages,
  voters: readonly Voter[],
  life: GrantLife | undefined,
): string {
  if (life !== undefined) return approvals.approvedFor({ life: approvals.lives[life] })
  const some = voters.some((voter) => voter.life !== undefined)
  return some ? approvals.approvedOnce : approvals.approved
}
