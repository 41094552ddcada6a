import { findApprovalOfCall } from '../../db/approvals.ts'
import { getConversation } from '../../db/conversations.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import { getSession } from '../../db/sessions.ts'
import { findCancelling, takeSilentCalls } from '../../db/tool-calls.ts'
import { getTurn } from '../../db/turns.ts'
import { findLiveReplicas } from '../../db/workers.ts'
import type { JobHeader, SignedJob } from '../../rules/jobs/contract.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import { parseArguments } from '../../rules/tools/parse-arguments.ts'
import { toStorable } from '../../util/storable.ts'
import type { CallKernel, Scope } from './call-kernel.ts'
import { loadFacts } from './load-facts.ts'
import { settleResult } from './settle-result.ts'
import { signCall } from './sign-call.ts'

/** A job that nobody has answered for so long is sent again, in milliseconds. */
const silentMs = 5_000

/**
 * Sends again what a crash or a full queue may have lost: the same attempt under the next number. The worker's journal
 * makes that harmless: it answers with the stored result, says nothing while the call runs, and runs it only if it
 * never began (INT-11, INT-12). Calls whose worker is gone end.
 */
export async function resendCalls(kernel: CallKernel, aliveSince: Date): Promise<void> {
  for (const call of await takeSilentCalls(kernel.db, silentMs)) {
    if (await endIfAbandoned(kernel, call, aliveSince)) continue
    const signed = await resign(kernel, call, 'run')
    if (signed === undefined) continue
    const id = `call-${call.id}-${call.attempt}-${call.sends}`
    await kernel.signals.sendJob(toolsQueue(call.worker ?? kernel.settings.worker), id, signed)
  }
}

/** Cancels, again and again until the call is settled (rule 8): a signal may be lost, a job may come after it. */
export async function resendCancels(kernel: CallKernel): Promise<void> {
  for (const call of await findCancelling(kernel.db)) {
    const signed = await resign(kernel, call, 'cancel')
    if (signed !== undefined) await kernel.signals.sendCancel(signed)
  }
}

/** A signed job for a call as it stands in the database. */
export async function resign(
  kernel: CallKernel,
  call: ToolCallRow,
  type: JobHeader['type'],
): Promise<SignedJob | undefined> {
  const spec = kernel.tools.find((tool) => tool.name === call.tool)
  if (spec === undefined) return undefined
  const parsed = parseArguments(spec, call.arguments)
  if (parsed.kind === 'error') return undefined
  const scope = await scopeOf(kernel, call)
  const facts = await loadFacts(kernel, kernel.db, scope.session, scope.turn.caller_id)
  const approval = await findApprovalOfCall(kernel.db, call.id)
  return signCall(kernel, scope, facts, type, {
    call,
    spec,
    args: parsed.args,
    ...(approval?.state === 'approved' ? { approvalId: approval.id } : {}),
  })
}

async function scopeOf(kernel: CallKernel, call: ToolCallRow): Promise<Scope> {
  const session = await getSession(kernel.db, call.session_id)
  const conversation = await getConversation(kernel.db, session.conversation_id)
  return { session, conversation, turn: await getTurn(kernel.db, call.turn_id) }
}

/** APPR-08, INT-11: without any live replica a running call is lost at once, one that never began after the grace. */
async function endIfAbandoned(
  kernel: CallKernel,
  call: ToolCallRow,
  aliveSince: Date,
): Promise<boolean> {
  const worker = call.worker ?? kernel.settings.worker
  if (Date.now() - aliveSince.getTime() < 15_000) return false
  if ((await findLiveReplicas(kernel.db, worker)).length > 0) return false
  const waitedMs = Date.now() - (call.queued_at?.getTime() ?? Date.now())
  if (call.state === 'queued' && waitedMs < kernel.settings.workerGraceMs) return false
  const gone = toStorable(`the worker "${worker}" went away before it began`)
  await settleResult(kernel, {
    type: 'result',
    worker,
    replica: call.replica ?? 'none',
    at: new Date().toISOString(),
    callId: call.id,
    attempt: call.attempt,
    jobType: 'run',
    durationMs: 0,
    outcome:
      call.state === 'running'
        ? { kind: 'interrupted' }
        : { kind: 'failed', error: { category: 'cancelled', message: gone } },
  })
  return true
}
