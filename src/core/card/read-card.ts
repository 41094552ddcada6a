import { z } from 'zod'
import { findApprovingVotes, findAsked } from '../../db/approval/votes.ts'
import { readPeople } from '../../db/people/caller-links.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import type { Card } from '../../domain/approval.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { type Caller, isAtLeast, may } from '../../domain/caller.ts'
import { type GrantLife, grantEnds } from '../../domain/grant-life.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { type ApprovalSubject, approvalSubject } from '../../rules/gate/approval-subject.ts'
import { approverRule, type CallToApprove, mayApprove } from '../../rules/gate/approver-rule.ts'
import type { GateCall, GateFacts } from '../../rules/gate/gate.ts'
import { isRecord } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { CoreContext } from '../context.ts'
import { findAnswerer } from '../people/people.ts'
import { effects, readStored, readTexts } from '../stored.ts'

/** Reads the card stored with an approval. */
export function readCard(approval: Pick<ApprovalRow, 'card'>): Card {
  return readStored(card, approval.card)
}

const text = z.string()

const some = z.exactOptional(text)

const list = z.array(text)

export const cardFile = z.object({
  id: text,
  name: text,
  bytes: z.number(),
  lines: z.number(),
  sha256: text,
})

const life = z.exactOptional(z.enum(grantEnds))

const status = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting') }),
  z.object({ kind: z.literal('approved'), by: text, at: text, always: z.boolean(), life }),
  z.object({ kind: z.literal('granted'), life }),
  z.object({ kind: z.literal('denying'), by: text, at: text, until: text }),
  z.object({ kind: z.literal('denied'), by: text, at: text, reason: text.optional() }),
  z.object({ kind: z.literal('expired'), at: text }),
  z.object({ kind: z.literal('cancelled'), why: text, by: some }),
  z.object({ kind: z.literal('running'), by: text, at: some, life }),
  z.object({
    kind: z.literal('finished'),
    by: text,
    at: some,
    life,
    outcome: text,
    isSuccess: z.boolean(),
    durationMs: z.number(),
    lastLine: some,
  }),
])

/** Adds fields to cards stored before they existed, when `why` named the person who cancelled and `outcome` told success. */
function withFields(stored: unknown): unknown {
  if (!isRecord(stored)) return stored
  const { kind, why, outcome, isSuccess } = stored
  if (kind === 'finished' && isSuccess === undefined) {
    return { ...stored, isSuccess: outcome === 'exit 0' || outcome === 'done' || outcome === 'ok' }
  }
  const start = 'stopped by '
  if (kind !== 'cancelled' || typeof why !== 'string' || !why.startsWith(start)) return stored
  return { ...stored, why: 'stopped', by: why.slice(start.length) }
}

const card = z.object({
  approvalId: text,
  number: z.number(),
  callId: some,
  tool: text,
  does: some,
  where: some,
  what: text,
  language: some,
  copyable: z.exactOptional(z.object({ kind: z.enum(['command', 'path']), text })),
  file: z.exactOptional(cardFile),
  isCut: z.exactOptional(z.literal(true)),
  tooLarge: z.exactOptional(z.literal(true)),
  effects: z.exactOptional(effects),
  reasons: list,
  alwaysPatterns: list,
  isAlwaysHarmless: z.exactOptional(z.literal(true)),
  requestedBy: text,
  whoMayAnswer: text,
  risk: z.exactOptional(z.enum(['low', 'medium', 'high'])),
  votes: z.exactOptional(
    z.object({ people: z.number(), by: z.array(z.object({ name: text, at: text })) }),
  ),
  expiresAt: text,
  habit: z.exactOptional(z.object({ times: z.number(), since: text })),
  unanswered: z.exactOptional(
    z.object({ action: z.enum(['deny', 'wait', 'stop']), escalatesAt: some }),
  ),
  warning: some,
  messagesKept: z.exactOptional(z.number()),
  open: z.exactOptional(z.enum(['details', 'choice'])),
  status: z.preprocess(withFields, status),
})

/** Reads the canonical paths that an executor reported for a call, if any. */
export function readCanonical(stored: string | null | undefined): readonly string[] | undefined {
  return stored == null ? undefined : readTexts(stored)
}

/** Builds the gate's view of a call: its arguments and, as far as known, the real targets of its paths. */
export function gateCallOf(
  call: { readonly canonical?: string | null },
  { spec, args }: Pick<GateCall, 'spec' | 'args'>,
): GateCall {
  const canonical = readCanonical(call.canonical)
  return { spec, args, ...(canonical === undefined ? {} : { canonical }) }
}

const yes = z.exactOptional(z.literal(true))

const batch = z.object({
  batchId: text,
  cards: z.array(card),
  file: z.exactOptional(cardFile),
  open: z.exactOptional(z.literal('details')),
})

const grant = z.object({ kind: z.enum(['session', 'file']), id: text })

const outgoing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), markdown: text, turnId: text }),
  z.object({ kind: z.literal('remark'), markdown: text, turnId: text }),
  z.object({
    kind: z.literal('notice'),
    text,
    quoted: some,
    file: z.exactOptional(cardFile.extend({ about: text })),
    isSecret: yes,
    onlyFor: some,
    endsTurn: some,
    revokes: z.exactOptional(z.array(z.object({ label: text, grant }))),
  }),
  z.object({ kind: z.literal('card'), card }),
  z.object({ kind: z.literal('card_update'), card }),
  z.object({ kind: z.literal('batch'), batch }),
  z.object({ kind: z.literal('batch_update'), batch }),
])

/** Parses the body of an outbox message; undefined if it is invalid. */
export function readOutgoing(body: string): Outgoing | undefined {
  return outgoing.safeParse(tryParseJson(body)).data
}

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
  args: z.exactOptional(z.record(z.string(), z.unknown())),
  origin: z.exactOptional(
    z.object({ server: z.string(), tool: z.string(), pin: z.exactOptional(z.string()) }),
  ),
  isOpaque: z.boolean(),
})

/** MCP-01: the server's tool that an approval was asked for, with its digest; undefined for other tools. */
export function originOf({ subject }: Pick<ApprovalRow, 'subject'>): ApprovalSubject['origin'] {
  return readStored(storedSubject, subject).origin
}

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
