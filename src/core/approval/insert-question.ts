import { type ApprovalTimes, insertApproval } from '../../db/approval/approvals.ts'
import { saveCard } from '../../db/approval/card-copies.ts'
import { updateCall } from '../../db/call/tool-calls.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import { takeNumbers } from '../../db/turn/sessions.ts'
import type { Card } from '../../domain/approval.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import type { Effect } from '../../domain/effect.ts'
import { alwaysWithin } from '../../rules/gate/always-within.ts'
import { approverRule } from '../../rules/gate/approver-rule.ts'
import { wantsNetwork } from '../../rules/gate/shell/wants-network.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import {
  commandOf,
  doesWords,
  mainArgument,
  runsCommands,
  type ToolSpec,
} from '../../rules/tools/tool-spec.ts'
import { isRecord } from '../../util/guards.ts'
import { newId } from '../../util/ids.ts'
import { toStorable } from '../../util/text/storable.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { Ask } from '../call/ask-again.ts'
import { namesOf } from '../call/audit-call.ts'
import type { CallContext } from '../call/gate/call-context.ts'
import type { GateTransaction, LoadedFacts } from '../call/gate/load-facts.ts'
import { signCall } from '../call/sign-call.ts'
import { ruleOf, subjectOf, whoMayAnswer } from '../card/count-votes.ts'
import type { CoreSettings } from '../context.ts'
import type { Transaction } from '../transaction.ts'

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
  const approval = await insert(tx, ask, batchId)
  tx.effects.emit({
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

/** Returns the rule for who may answer a call that has no approval yet. */
export function ruleOfAsk(ctx: CallContext, facts: LoadedFacts, ask: Ask): ApproverRule {
  const { call, verdict, args } = ask
  const subject = subjectOf(call, { spec: specOf(ctx, call.tool), args }, facts)
  const asked = { tool: call.tool, risk: verdict.risk, subject }
  return approverRule(asked, ctx.settings.approvers)
}

/** Limits the *Always* patterns to what the people who may answer this approval may allow. */
function withinQuorum(ctx: CallContext, facts: LoadedFacts, ask: Ask): Ask {
  const { call, verdict, args } = ask
  const spec = specOf(ctx, call.tool)
  const subject = subjectOf(call, { spec, args }, facts)
  const asked = { tool: call.tool, risk: verdict.risk, subject }
  const patterns = alwaysWithin(asked, spec, verdict.alwaysPatterns, ctx.settings.approvers)
  return { ...ask, verdict: { ...verdict, alwaysPatterns: patterns } }
}

/** Whether the card needs a preview from the box: a diff, or the files that a command runs (APPR-24). */
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
  return { ...approval, card: await cardOf(tx, tx.facts, ask, approval, tx.session.worker) }
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
  tx: Transaction<CallContext>,
  facts: LoadedFacts,
  ask: Ask,
  approval: ApprovalRow,
  worker: string,
): Promise<string> {
  const card = buildCard(specOf(tx.ctx, ask.call.tool), ask, {
    approvalId: approval.id,
    number: approval.number,
    requestedBy: await nameOf(tx.db, approval.caller_id),
    rule: ruleOf(tx.ctx, approval),
    expiresAt: approval.expires_at,
    ...(await editOf(tx.db, ask.call)),
    ...placeOf(facts, approval, worker),
    // Limits missing from a box are reported at start; the card repeats those that make approval riskier (BOX-08).
    warnings: [...(facts.confined ? [] : facts.warnings), ...networkWarnings(tx.ctx, ask)],
  })
  return toStorable(JSON.stringify(card))
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
  // Without a job the card is posted anyway, after the preview times out.
  if (job === undefined) return
  const id = `preview-${call.id}-${approval.number}`
  tx.effects.sendJob(toolsQueue(tx.session.worker), id, job)
}

function specOf({ tools }: CallContext, name: string): ToolSpec {
  const spec = tools.find((tool) => tool.name === name)
  if (spec === undefined) throw new Error(`no tool ${name}`)
  return spec
}

interface CardFacts {
  readonly approvalId: string
  readonly number: number
  readonly requestedBy: string
  /** Name of the place where the call would run, unless it has none of its own. */
  readonly where?: string
  readonly rule: ApproverRule
  readonly expiresAt: Date
  readonly warnings: readonly string[]
  /** APPR-14: the editor's name and the arguments the model gave. */
  readonly edited?: { readonly by: string; readonly from: string }
}

/**
 * APPR-02, APPR-16: shows everything the call will do, with invisible characters made visible; `packCard` handles text that does
 * not fit a message.
 */
export function buildCard(spec: ToolSpec, { call, verdict, args }: Ask, facts: CardFacts): Card {
  return {
    approvalId: facts.approvalId,
    number: facts.number,
    callId: call.id,
    tool: call.tool,
    does: doesWords(spec),
    ...(facts.where === undefined ? {} : { where: makeVisible(facts.where) }),
    what: describe(spec, args),
    ...(runsCommands(spec) && { language: 'bash' }),
    ...copyableOf(spec, args),
    effects: [
      ...(facts.edited === undefined ? [] : [{ kind: 'edited' as const, of: facts.edited.by }]),
      ...(verdict.effects ?? verdict.reasons.map(unknownEffect)),
    ].map(visibleEffect),
    reasons: [
      ...changeOf(spec, facts),
      ...[...verdict.reasons, ...(verdict.unbound ?? [])].map(makeVisible),
    ],
    alwaysPatterns: verdict.alwaysPatterns.map(patternWords),
    requestedBy: facts.requestedBy,
    whoMayAnswer: whoMayAnswer(facts.rule, facts.requestedBy),
    risk: verdict.risk,
    expiresAt: facts.expiresAt.toISOString(),
    ...(facts.warnings.length === 0 ? {} : { warning: facts.warnings.join('\n') }),
    status: { kind: 'waiting' },
  }
}

/** A verdict that was stored before effects existed shows its reasons. */
function unknownEffect(reason: string): Effect {
  return { kind: 'other', of: reason }
}

function visibleEffect({ kind, of }: Effect): Effect {
  return of === undefined ? { kind } : { kind, of: makeVisible(of) }
}

function changeOf(spec: ToolSpec, { edited }: CardFacts): readonly string[] {
  if (edited === undefined) return []
  const before = tryParseJson(edited.from)
  const was = isRecord(before) ? describe(spec, before) : makeVisible(edited.from)
  return [`${edited.by} changed it; the model asked for: ${was}`]
}

/** Formats a pattern for the card. A bare `*` is offered for calls without a rule value. */
function patternWords(pattern: string): string {
  return pattern === '*' ? '* (any arguments)' : makeVisible(pattern)
}

function describe(spec: ToolSpec, args: Readonly<Record<string, unknown>>): string {
  const { argument, text } = headOf(spec, args)
  const head = text === undefined ? '' : makeVisible(text)
  const title = runsCommands(spec) && text !== undefined ? head : `${spec.name} ${head}`.trimEnd()
  return [title, ...others(args, argument)].join('\n')
}

/** Returns the text of the first line: the command, or the only path. */
function headOf(spec: ToolSpec, args: Readonly<Record<string, unknown>>) {
  const { paths = [] } = spec
  const named = paths.length === 1 ? paths[0]?.argument : undefined
  const argument = runsCommands(spec) ? mainArgument(spec) : named
  const text = argument === undefined ? undefined : args[argument]
  return typeof text === 'string' ? { argument, text } : {}
}

function copyableOf(
  spec: ToolSpec,
  args: Readonly<Record<string, unknown>>,
): Pick<Card, 'copyable'> {
  const kind = runsCommands(spec) ? 'command' : 'path'
  const { text } = headOf(spec, args)
  if (text === undefined || text.trim() === '') return {}
  return text.includes('\n') || makeVisible(text) !== text ? {} : { copyable: { kind, text } }
}

/** Lists the remaining arguments under their names; text is kept as is, line breaks included. */
function others(args: Readonly<Record<string, unknown>>, shown: string | undefined): string[] {
  return Object.entries(args)
    .filter(([name]) => name !== shown)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return `${makeVisible(name)}: ${makeVisible(text)}`
    })
}
