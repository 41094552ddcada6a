import { z } from 'zod'
import { findApprovingVotes, findAsked } from '../../db/approval/votes.ts'
import { readPeople } from '../../db/people/caller-links.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import type { Caller } from '../../domain/caller.ts'
import type { GrantLife } from '../../domain/grant-life.ts'
import { may } from '../../domain/rights.ts'
import { type ApprovalSubject, approvalSubject } from '../../rules/gate/approval-subject.ts'
import { approverRule, type CallToApprove, mayApprove } from '../../rules/gate/approver-rule.ts'
import type { GateCall, GateFacts } from '../../rules/gate/gate.ts'
import type { CoreContext } from '../context.ts'
import { findAnswerer } from '../people/find-answerer.ts'
import { readStored } from '../stored.ts'
import { gateCallOf } from './gate-call-of.ts'

/** Somebody whose approval counts. */
export interface Voter {
  readonly caller: Caller
  readonly at: Date
  /** Of the grant that they want with it; undefined: none. */
  readonly life: GrantLife | undefined
}

/** Where the approvals of a question stand by the rule in force now (POL-06). */
export interface Votes {
  readonly rule: ApproverRule
  /** Each another person, by the account that answered first, who may approve it now; in the order of their answers. */
  readonly voters: readonly Voter[]
  readonly isEnough: boolean
}

const storedSubject = z.object({
  texts: z.array(z.string()),
  paths: z.array(z.string()),
  isOpaque: z.boolean(),
})

/** The rule about who may approve a question, in force now. `call`: what it is about, where that is known anew. */
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

/** What the operator's patterns are matched against for a call, by what is known of it now. */
export function subjectOf(
  call: Pick<ToolCallRow, 'canonical'>,
  asked: Pick<GateCall, 'spec' | 'args'>,
  facts: Pick<GateFacts, 'workspace'>,
): ApprovalSubject {
  return approvalSubject(gateCallOf(call, asked), facts)
}

/** Whoever lost the role, or left, since they answered does not count (INT-26). */
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

/** THREAT-4: whether what these people allow may hold for everybody, by the roles that they have now. */
export function mayAllowForAll(voters: readonly Voter[]): boolean {
  return voters.every(({ caller }) => may(caller, 'allow_for_everybody'))
}
