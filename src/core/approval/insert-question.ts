import { type ApprovalTimes, insertApproval } from '../../db/approval/approvals.ts'
import { saveCard } from '../../db/approval/card-copies.ts'
import { updateCall } from '../../db/call/tool-calls.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import { takeNumbers } from '../../db/turn/sessions.ts'
import type { Habit, Unanswered } from '../../domain/approval.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { alwaysWithin } from '../../rules/gate/always-within.ts'
import { approverRule } from '../../rules/gate/approver-rule.ts'
import { wantsNetwork } from '../../rules/gate/shell/wants-network.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import { commandOf, type ToolSpec } from '../../rules/tools/tool-spec.ts'
import { newId } from '../../util/ids.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Ask } from '../call/ask-again.ts'
import { namesOf } from '../call/audit-call.ts'
import type { CallContext, GateTransaction, LoadedFacts } from '../call/gate/call-context.ts'
import { signCall } from '../call/sign-call.ts'
import { ruleOf, subjectOf } from '../card/read-card.ts'
import type { CoreSettings } from '../context.ts'
import { buildCard, type CardFacts, warningIn } from './build-card.ts'
import { findHabit } from './find-habit.ts'

/**
 * Inserts an approval and orders the preview from the box that its card needs (APPR-01). `batchId`: batch of approvals it belongs
 * to. `isReady`: the card may be posted now.
 */
export async function createApproval(
  tx: GateTransaction,
  asked: Ask,
  batchId: string | null,
): Promise<{ readonly approval: ApprovalRow; readonly isReady: boolean }> {
  const ask = withinQuorum(tx.ctx, tx.facts, asked)
  const habit = batchId === null ? await findHabit(tx, ask) : undefined
  const approval = await insert(tx, ask, { batchId, habit })
  tx.effects.emit({
    kind: 'approval_asked',
    ...namesOf(ask.call),
    approvalId: approval.id,
    conversationId: approval.conversation_id,
    risk: approval.risk,
  })
  await saveCard(tx.db, approval.id, approval.card)
  const isReady = !isPreviewed(specOf(tx.facts, ask.call.tool), ask)
  if (!isReady) await wantPreview(tx, ask, approval)
  return { approval, isReady }
}

/** Returns the rule for who may answer a call that has no approval yet. */
export function ruleOfAsk(ctx: CallContext, facts: LoadedFacts, ask: Ask): ApproverRule {
  const { call, verdict, args } = ask
  const subject = subjectOf(call, { spec: specOf(facts, call.tool), args }, facts)
  const asked = { tool: call.tool, risk: verdict.risk, subject }
  return approverRule(asked, ctx.settings.approvers)
}

/** Limits the *Always* patterns to what the people who may answer this approval may allow. */
function withinQuorum(ctx: CallContext, facts: LoadedFacts, ask: Ask): Ask {
  const { call, verdict, args } = ask
  const spec = specOf(facts, call.tool)
  const subject = subjectOf(call, { spec, args }, facts)
  const asked = { tool: call.tool, risk: verdict.risk, subject }
  const patterns = alwaysWithin(asked, spec, verdict.alwaysPatterns, ctx.settings.approvers)
  return { ...ask, verdict: { ...verdict, alwaysPatterns: patterns } }
}

/** Whether the card needs a preview from the box: a diff, or the files that a command runs (APPR-24). */
function isPreviewed({ previews }: ToolSpec, { verdict }: Ask): boolean {
  return previews === true || (verdict.programs ?? []).length > 0
}

interface Placed {
  readonly batchId: string | null
  readonly habit: Habit | undefined
}

async function insert(
  tx: GateTransaction,
  ask: Ask,
  { batchId, habit }: Placed,
): Promise<ApprovalRow> {
  const { call, verdict } = ask
  const number = await takeNumbers(tx.db, tx.session.id, 'next_approval_number', 1)
  const spec = specOf(tx.facts, call.tool)
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
    offers_rule: habit !== undefined,
  }
  const approval = await insertApproval(tx.db, row, timesOf(tx.ctx.settings))
  return { ...approval, card: await cardOf(tx, ask, approval, habit) }
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

/** Builds the card after the row, so that both name the same expiry by the database's clock (rule 9). */
async function cardOf(
  tx: GateTransaction,
  ask: Ask,
  approval: ApprovalRow,
  habit: Habit | undefined,
): Promise<string> {
  const { facts } = tx
  const card = buildCard(specOf(tx.facts, ask.call.tool), ask, {
    messages: tx.ctx.messages,
    approvalId: approval.id,
    number: approval.number,
    requestedBy: await nameOf(tx.db, approval.caller_id),
    rule: ruleOf(tx.ctx, approval),
    expiresAt: approval.expires_at,
    ...(await editOf(tx.db, ask.call)),
    ...placeOf(facts, approval, tx.session.worker),
    unanswered: unansweredOf(tx.ctx.settings, approval),
    ...(habit === undefined ? {} : { habit }),
    // Limits missing from a box are reported at start; the card repeats those that make approval riskier (BOX-08).
    warnings: [
      ...(facts.confined ? [] : facts.warnings.map((words) => warningIn(tx.ctx.messages, words))),
      ...networkWarnings(tx.ctx, facts, ask),
    ],
  })
  return toStorable(JSON.stringify(card))
}

function unansweredOf({ onExpiry }: CoreSettings, { escalate_at }: ApprovalRow): Unanswered {
  if (escalate_at === null) return { action: onExpiry }
  return { action: onExpiry, escalatesAt: escalate_at.toISOString() }
}

/** The workspace's own folder name, else the worker's; a name that says nothing is left out. */
function placeOf(
  { workspace }: Pick<LoadedFacts, 'workspace'>,
  { conversation_id }: Pick<ApprovalRow, 'conversation_id'>,
  worker: string,
): Pick<CardFacts, 'where'> {
  const folder = workspace.split('/').at(-1) ?? ''
  const where = [folder, worker].find((name) => !namesNothing.has(name) && name !== conversation_id)
  return where === undefined ? {} : { where }
}

const namesNothing: ReadonlySet<string> = new Set(['', 'workspace', 'default'])

/** BASH-11: warns that a command will likely fail without network. */
function networkWarnings(
  ctx: CallContext,
  facts: LoadedFacts,
  { call, args }: Ask,
): readonly string[] {
  const command = commandOf(specOf(facts, call.tool), args)
  if (command === undefined || ctx.commands.hasNetwork === true) return []
  if (!wantsNetwork(command)) return []
  return [ctx.messages.cards.noNetwork]
}

async function editOf(db: Db, call: ToolCallRow): Promise<Pick<CardFacts, 'edited'>> {
  if (call.edited_by === null || call.original_arguments === null) return {}
  return { edited: { by: await nameOf(db, call.edited_by), from: call.original_arguments } }
}

async function wantPreview(tx: GateTransaction, ask: Ask, approval: ApprovalRow): Promise<void> {
  const call = await updateCall(tx.db, ask.call.id, { preview: 'wanted', base_sha256: null })
  const spec = specOf(tx.facts, call.tool)
  const preview = { type: 'preview', call, spec, args: ask.args, attempt: approval.number } as const
  const job = signCall(tx.ctx, tx, tx.facts, preview)
  // Without a job the card is posted anyway, after the preview times out.
  if (job === undefined) return
  const id = `preview-${call.id}-${approval.number}`
  tx.effects.sendJob(toolsQueue(tx.session.worker), id, job)
}

function specOf({ tools }: Pick<LoadedFacts, 'tools'>, name: string): ToolSpec {
  const spec = tools.find((tool) => tool.name === name)
  if (spec === undefined) throw new Error(`no tool ${name}`)
  return spec
}
