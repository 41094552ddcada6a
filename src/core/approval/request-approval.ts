import { insertApproval } from '../../db/approvals.ts'
import { nameOf } from '../../db/callers.ts'
import { saveCard } from '../../db/card-copies.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { takeNumbers } from '../../db/sessions.ts'
import { updateCall } from '../../db/tool-calls.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import { newId } from '../../util/new-id.ts'
import { toStorable } from '../../util/storable.ts'
import type { CallKernel, Scope } from '../call/call-kernel.ts'
import type { Ask } from '../call/dispatch-ready.ts'
import type { LoadedFacts } from '../call/load-facts.ts'
import { signCall } from '../call/sign-call.ts'
import { namesOf } from '../call/tell-call.ts'
import type { Effects } from '../kernel/transact.ts'
import { packCard } from '../outbox/card-file.ts'
import { postCard, readCard } from '../outbox/cards.ts'
import { buildCard } from './build-card.ts'

/** Tools whose card shows a diff, which only the box can make. */
const previewed: ReadonlySet<string> = new Set(['edit', 'write'])

/**
 * APPR-01: the question becomes a row, and its card goes out, in the transaction that made the call wait. No process
 * holds anything. The card of an edit or write waits for its diff; nothing is approvable before it was wholly shown.
 */
export async function requestApproval(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  facts: LoadedFacts,
  ask: Ask,
): Promise<void> {
  const approval = await insert(kernel, db, scope, facts, ask)
  after.tell({
    kind: 'approval_asked',
    ...namesOf(ask.call),
    approvalId: approval.id,
    conversationId: approval.conversation_id,
    risk: approval.risk,
  })
  if (previewed.has(ask.call.tool)) {
    await wantPreview(kernel, db, after, scope, facts, ask, approval)
  } else {
    const card = await packCard(db, scope.conversation.id, readCard(approval))
    await postCard(db, after, { ...approval, card: toStorable(JSON.stringify(card)) })
  }
}

async function insert(
  kernel: CallKernel,
  db: Db,
  scope: Scope,
  facts: LoadedFacts,
  ask: Ask,
): Promise<ApprovalRow> {
  const { call, verdict } = ask
  const number = await takeNumbers(db, scope.session.id, 'next_approval_number', 1)
  const { approvalTtlMs, remindAfterMs } = kernel.settings
  const row = {
    id: newId(),
    call_id: call.id,
    turn_id: scope.turn.id,
    session_id: scope.session.id,
    conversation_id: scope.conversation.id,
    number,
    caller_id: scope.turn.caller_id,
    tool: call.tool,
    arguments_sha256: call.arguments_sha256,
    confined: facts.confined,
    risk: verdict.risk,
    always_patterns: toStorable(JSON.stringify(verdict.alwaysPatterns)),
    card: '{}',
  }
  const approval = await insertApproval(db, row, approvalTtlMs, remindAfterMs)
  return { ...approval, card: await cardOf(db, scope, facts, ask, approval) }
}

/** The card names the moment that the row does: the database's clock counts (rule 9). */
async function cardOf(
  db: Db,
  scope: Scope,
  facts: LoadedFacts,
  ask: Ask,
  approval: ApprovalRow,
): Promise<string> {
  const card = buildCard(ask, {
    approvalId: approval.id,
    number: approval.number,
    requestedBy: await nameOf(db, scope.turn.caller_id),
    expiresAt: approval.expires_at,
    // What a box does not limit is said at start; on a card stands what makes approving it another matter (BOX-08).
    warnings: facts.confined ? [] : facts.warnings,
  })
  return toStorable(JSON.stringify(card))
}

async function wantPreview(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  facts: LoadedFacts,
  ask: Ask,
  approval: ApprovalRow,
): Promise<void> {
  await saveCard(db, approval.id, approval.card)
  const call = await updateCall(db, ask.call.id, { preview: 'wanted', base_sha256: null })
  const spec = kernel.tools.find((tool) => tool.name === call.tool)
  if (spec === undefined) throw new Error(`no tool ${call.tool}`)
  const attempt = call.attempt + 1
  const job = signCall(kernel, scope, facts, 'preview', { call, spec, args: ask.args, attempt })
  // Without one the card goes out all the same, once its diff is late.
  if (job === undefined) return
  const id = `preview-${call.id}-${approval.number}`
  after.sendJob(toolsQueue(scope.session.worker), id, job)
}
