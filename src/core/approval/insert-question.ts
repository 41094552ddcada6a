import { type ApprovalTimes, insertApproval } from '../../db/approval/approvals.ts'
import { saveCard } from '../../db/approval/card-copies.ts'
import { updateCall } from '../../db/call/tool-calls.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import { takeNumbers } from '../../db/turn/sessions.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { alwaysWithin } from '../../rules/gate/always-within.ts'
import { approverRule } from '../../rules/gate/approver-rule.ts'
import { wantsNetwork } from '../../rules/gate/shell/wants-network.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import { commandOf } from '../../rules/tools/ruled-argument.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { newId } from '../../util/new-id.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Ask } from '../call/ask-again.ts'
import type { CallContext } from '../call/gate/call-context.ts'
import type { GateTransaction, LoadedFacts } from '../call/gate/load-facts.ts'
import { signCall } from '../call/sign-call.ts'
import { namesOf } from '../call/tell-call.ts'
import { ruleOf, subjectOf } from '../card/count-votes.ts'
import type { CoreSettings } from '../context.ts'
import type { Transaction } from '../transaction.ts'
import { buildCard, type CardFacts } from './build-card.ts'

/**
 * Makes a question a row, and orders what only the box can tell for its card (APPR-01); `batchId`: it is asked together
 * with others. Whether the card may go out now.
 */
export async function insertQuestion(
  tx: GateTransaction,
  asked: Ask,
  batchId: string | null,
): Promise<{ readonly approval: ApprovalRow; readonly isReady: boolean }> {
  const ask = withinQuorum(tx.ctx, tx.facts, asked)
  const approval = await insert(tx, ask, batchId)
  tx.effects.tell({
    kind: 'approval_asked',
    ...namesOf(ask.call),
    approvalId: approval.id,
    conversationId: approval.conversation_id,
    risk: approval.risk,
  })
  await saveCard(tx.db, approval.id, approval.card)
  const isReady = !isPreviewed(specOf(tx.ctx, ask.call.tool), ask)
  if (!isReady) await wantPreview(tx, ask, approval)
  return { approval, isReady }
}

/** Who may answer a question, before there is one. */
export function ruleOfAsk(ctx: CallContext, facts: LoadedFacts, ask: Ask): ApproverRule {
  const { call, verdict, args } = ask
  const subject = subjectOf(call, { spec: specOf(ctx, call.tool), args }, facts)
  const asked = { tool: call.tool, risk: verdict.risk, subject }
  return approverRule(asked, ctx.settings.approvers)
}

/** What *Always* would allow is no more than those may who answer this question. */
function withinQuorum(ctx: CallContext, facts: LoadedFacts, ask: Ask): Ask {
  const { call, verdict, args } = ask
  const spec = specOf(ctx, call.tool)
  const subject = subjectOf(call, { spec, args }, facts)
  const asked = { tool: call.tool, risk: verdict.risk, subject }
  const patterns = alwaysWithin(asked, spec, verdict.alwaysPatterns, ctx.settings.approvers)
  return { ...ask, verdict: { ...verdict, alwaysPatterns: patterns } }
}

/** Whether the card shows what only the box can tell: a diff, or the files that a command runs (APPR-24). */
function isPreviewed({ previews }: ToolSpec, { verdict }: Ask): boolean {
  return previews === true || (verdict.programs ?? []).length > 0
}

async function insert(tx: GateTransaction, ask: Ask, batchId: string | null): Promise<ApprovalRow> {
  const { call, verdict } = ask
  const number = await takeNumbers(tx.db, tx.session.id, 'next_approval_number', 1)
  const spec = specOf(tx.ctx, call.tool)
  const subject = subjectOf(call, { spec, args: ask.args }, tx.facts)
  const row = {
    id: newId(),
    call_id: call.id,
    turn_id: tx.turn.id,
    session_id: tx.session.id,
    conversation_id: tx.conversation.id,
    number,
    caller_id: tx.turn.caller_id,
    tool: call.tool,
    arguments_sha256: call.arguments_sha256,
    confined: tx.facts.confined,
    risk: verdict.risk,
    always_patterns: toStorable(JSON.stringify(verdict.alwaysPatterns)),
    always_beats: toStorable(JSON.stringify(verdict.alwaysBeats ?? {})),
    subject: toStorable(JSON.stringify(subject)),
    card: '{}',
    batch_id: batchId,
  }
  const approval = await insertApproval(tx.db, row, timesOf(tx.ctx.settings))
  return { ...approval, card: await cardOf(tx, tx.facts, ask, approval) }
}

function timesOf({ approvalTtlMs, remindAfterMs, routing }: CoreSettings): ApprovalTimes {
  const { escalateTo, escalateAfterMs } = routing
  const escalates = escalateTo.length > 0
  return {
    ttlMs: approvalTtlMs,
    remindAfterMs,
    escalateAfterMs: escalates ? escalateAfterMs : undefined,
  }
}

/** The card names the moment that the row does: the database's clock counts (rule 9). */
async function cardOf(
  tx: Transaction<CallContext>,
  facts: LoadedFacts,
  ask: Ask,
  approval: ApprovalRow,
): Promise<string> {
  const card = buildCard(specOf(tx.ctx, ask.call.tool), ask, {
    approvalId: approval.id,
    number: approval.number,
    requestedBy: await nameOf(tx.db, approval.caller_id),
    rule: ruleOf(tx.ctx, approval),
    expiresAt: approval.expires_at,
    ...(await editOf(tx.db, ask.call)),
    // What a box does not limit is said at start; on a card stands what makes approving it another matter (BOX-08).
    warnings: [...(facts.confined ? [] : facts.warnings), ...networkWarnings(tx.ctx, ask)],
  })
  return toStorable(JSON.stringify(card))
}

/** BASH-11: that a person need not approve what will fail. */
function networkWarnings(ctx: CallContext, { call, args }: Ask): readonly string[] {
  const command = commandOf(specOf(ctx, call.tool), args)
  if (command === undefined || ctx.commands.hasNetwork === true) return []
  if (!wantsNetwork(command)) return []
  return ['Commands have no network here: this is likely to fail.']
}

async function editOf(db: Db, call: ToolCallRow): Promise<Pick<CardFacts, 'edited'>> {
  if (call.edited_by === null || call.original_arguments === null) return {}
  return { edited: { by: await nameOf(db, call.edited_by), from: call.original_arguments } }
}

async function wantPreview(tx: GateTransaction, ask: Ask, approval: ApprovalRow): Promise<void> {
  const call = await updateCall(tx.db, ask.call.id, { preview: 'wanted', base_sha256: null })
  const spec = specOf(tx.ctx, call.tool)
  const preview = { type: 'preview', call, spec, args: ask.args, attempt: approval.number } as const
  const job = signCall(tx.ctx, tx, tx.facts, preview)
  // Without one the card goes out all the same, once its diff is late.
  if (job === undefined) return
  const id = `preview-${call.id}-${approval.number}`
  tx.effects.sendJob(toolsQueue(tx.session.worker), id, job)
}

function specOf({ tools }: CallContext, name: string): ToolSpec {
  const spec = tools.find((tool) => tool.name === name)
  if (spec === undefined) throw new Error(`no tool ${name}`)
  return spec
}
