import { z } from 'zod'
import { findApprovingVotes, findAsked } from '../../db/approval/votes.ts'
import { readPeople } from '../../db/people/caller-links.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { type Caller, isAtLeast, may } from '../../domain/caller.ts'
import type { GrantLife } from '../../domain/grant-life.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { type ApprovalSubject, approvalSubject } from '../../rules/gate/approval-subject.ts'
import { approverRule, type CallToApprove, mayApprove } from '../../rules/gate/approver-rule.ts'
import type { GateCall, GateFacts } from '../../rules/gate/gate.ts'
import type { CoreContext } from '../context.ts'
import { findAnswerer } from '../people/find-answerer.ts'
import { readStored } from '../stored.ts'
import { gateCallOf } from './read-card.ts'

/** Person whose approval counts. */
export interface Voter {
  readonly caller: Caller
  readonly at: Date
  /** Duration of the grant they want; undefined: none. */
  readonly life: GrantLife | undefined
}

/** Votes on an approval under the rule in force now (POL-06). */
export interface Votes {
  readonly rule: ApproverRule
  /** Distinct people who may approve it now, by the account that answered first, in the order of their answers. */
  readonly voters: readonly Voter[]
  readonly isEnough: boolean
}

const storedSubject = z.object({
  texts: z.array(z.string()),
  paths: z.array(z.string()),
  isOpaque: z.boolean(),
})

/** Returns the rule for who may approve, in force now. `call`: what it is about, if known anew. */
export function ruleOf(
  ctx: Pick<CoreContext, 'settings'>,
  approval: Pick<ApprovalRow, 'tool' | 'risk' | 'subject'>,
  call: Omit<CallToApprove, 'tool'> = {
    risk: approval.risk,
    subject: readStored(storedSubject, approval.subject),
  },
): ApproverRule {
  return approverRule({ tool: approval.tool, ...call }, ctx.settings.approvers)
}

/** Returns the text that the operator's patterns are matched against, from what is known of the call now. */
export function subjectOf(
  call: Pick<ToolCallRow, 'canonical'>,
  asked: Pick<GateCall, 'spec' | 'args'>,
  facts: Pick<GateFacts, 'workspace'>,
): ApprovalSubject {
  return approvalSubject(gateCallOf(call, asked), facts)
}

/** Counts the votes of people who may still approve; those who lost the role or left do not count (INT-26). */
export async function countVotes(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  rule: ApproverRule,
): Promise<Votes> {
  const asked = await findAsked(db, approval.id)
  const personOf = await readPeople(db)
  const asker = personOf(approval.caller_id)
  const voters = new Map<string, Voter>()
  for (const { callerId, life, at } of await findApprovingVotes(db, approval.id)) {
    const caller = await findAnswerer(ctx, db, callerId)
    if (caller === undefined) continue
    const person = personOf(callerId)
    const approver = { ...caller, isSelf: person === asker, isAsked: asked.has(callerId) }
    if (!mayApprove(approver, rule)) continue
    if (!voters.has(person)) voters.set(person, { caller, at, life })
  }
  return { rule, voters: [...voters.values()], isEnough: voters.size >= rule.people }
}

/** THREAT-4: whether a grant by these people may hold for everybody, by their current roles. */
export function mayAllowForAll(voters: readonly Voter[]): boolean {
  return voters.every(({ caller }) => may(caller, 'allow_for_everybody'))
}

/**
 * Describes who may approve, for the card; anyone who may approve, or who asked, can deny alone. If the text begins with the
 * requester's name, that name is its only foreign part.
 */
export function whoMayAnswer(
  { approvals }: Messages,
  rule: ApproverRule,
  requester: string,
): string {
  const { people: count, leastRole, allowSelf } = rule
  if (leastRole === 'user' && allowSelf) {
    if (count === 1) return approvals.requesterOrApprover({ requester })
    return approvals.peopleOrApprovers({ count })
  }
  const { approvers, operators } = approvals
  return (isAtLeast(leastRole, 'operator') ? operators : approvers)({ count, allowSelf })
}
