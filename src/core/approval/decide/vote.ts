import { endApproval } from '../../../db/approval/approvals.ts'
import { insertVote, isOpen } from '../../../db/approval/votes.ts'
import { findAccounts } from '../../../db/people/caller-links.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import type { CardVotes } from '../../../domain/approval.ts'
import type { ApproverRule } from '../../../domain/approvers.ts'
import type { Caller } from '../../../domain/caller.ts'
import { type GrantLife, grantEnds } from '../../../domain/grant-life.ts'
import { english, type Messages } from '../../../domain/messages/messages.ts'
import { editCard } from '../../card/cards.ts'
import { countVotes, mayAllowForAll, type Voter, type Votes } from '../../card/count-votes.ts'
import { recordAbout } from '../../card/route-card.ts'
import type { Transaction } from '../../transaction.ts'
import type { Decided } from './may-answer.ts'
import { emitApprovalDecided, settleApproval } from './settle-decision.ts'

/** Approval by one person; `life`: duration of *Always*, undefined for this call alone. */
interface Vote {
  readonly by: Caller
  readonly life: GrantLife | undefined
}

/**
 * Counts one approval per person (APPR-12) and ends the approval when there are enough by the rule in force now. Call under the
 * session's lock, for a person who may approve it.
 */
export async function vote(
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
