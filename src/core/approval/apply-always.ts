import { endApproval, findAlways, findPending, setAlwaysEffect } from '../../db/approvals.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { getSession } from '../../db/sessions.ts'
import { getCall, updateCall } from '../../db/tool-calls.ts'
import { getTurn, makeDue } from '../../db/turns.ts'
import { addGrants } from '../../rules/gate/permissions/add-grants.ts'
import type { CallKernel, Scope } from '../call/call-kernel.ts'
import { judgeCall } from '../call/judge-call.ts'
import { loadFacts } from '../call/load-facts.ts'
import { attempt } from '../kernel/attempt.ts'
import type { Effects } from '../kernel/transact.ts'
import { updateCard } from '../outbox/cards.ts'
import { tellDecided } from './tell-decided.ts'

const saveTries = 10

/**
 * Writes the *Always* of approvers and operators into the worker's rules. The agent's side owns that file (INT-35);
 * whoever loses a race reads again. Done before the cascade, outside any transaction, and again after a crash.
 */
export async function persistAlways(kernel: CallKernel, sessionId?: string): Promise<void> {
  for (const approval of await findAlways(kernel.db, sessionId)) {
    if (approval.always_effect === 'worker') {
      await attempt(kernel, 'write rules', () => persist(kernel, approval))
    }
  }
}

/** Where the rules cannot be written, the grant in the session holds all the same, and the sweeper tries again. */
async function persist(kernel: CallKernel, approval: ApprovalRow): Promise<void> {
  const session = await getSession(kernel.db, approval.session_id)
  await saveRules(kernel, session.worker, approval)
  await setAlwaysEffect(kernel.db, approval.id, 'session')
}

async function saveRules(kernel: CallKernel, worker: string, approval: ApprovalRow): Promise<void> {
  const patterns: string[] = JSON.parse(approval.always_patterns)
  const by = approval.decided_by ?? 'somebody'
  const note = `granted by ${by}, ${(approval.decided_at ?? new Date()).toISOString()}`
  for (let attempt = 0; attempt < saveTries; attempt += 1) {
    const { text, version } = await kernel.permissions.load(worker)
    const changed = addGrants(text, approval.tool, patterns, note)
    if (changed === text || (await kernel.permissions.save(worker, version, changed))) return
  }
  throw new Error(`the rules of worker "${worker}" could not be saved: others kept changing them`)
}

/**
 * APPR-07: after an *Always*, every other pending question of the session is judged again; those that now allow resolve
 * by themselves. Each is claimed like any decision, so one that is being denied stays denied (INT-24).
 */
export async function cascadeAlways(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
): Promise<void> {
  const causes = await findAlways(db, scope.session.id)
  if (causes.length === 0) return
  for (const pending of await findPending(db, scope.session.id)) {
    await resolveIfAllowed(kernel, db, after, scope, pending)
  }
  for (const cause of causes) {
    if (cause.always_effect === 'session') await setAlwaysEffect(db, cause.id, 'done')
  }
}

async function resolveIfAllowed(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  pending: ApprovalRow,
): Promise<void> {
  const call = await getCall(db, pending.call_id)
  const facts = await loadFacts(kernel, db, scope.session, pending.caller_id)
  const judged = judgeCall(kernel, facts, call)
  if (judged.kind === 'wrong' || judged.verdict.action !== 'allow') return
  const onlyUnexpired = kernel.settings.onExpiry !== 'wait'
  const granted = await endApproval(db, pending.id, { state: 'granted', onlyUnexpired })
  if (granted === undefined) return
  tellDecided(after, granted)
  await updateCall(db, call.id, { state: 'allowed' })
  await updateCard(db, after, granted, { kind: 'granted' })
  const turn = await getTurn(db, pending.turn_id)
  const due = turn.id === scope.turn.id ? undefined : await makeDue(db, turn.id)
  if (due !== undefined) after.wakeTurn(due)
}
