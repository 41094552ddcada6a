import { findAbandoned, stopCancellingLost } from '../../../db/call/silent-calls.ts'
import type { ToolCallRow } from '../../../db/schema.ts'
import { makeLiveTurnDue } from '../../../db/turn/turns-at-work.ts'
import type { CallOutcome } from '../../../rules/jobs/contract.ts'
import { maxJobAgeMs } from '../../../rules/jobs/sign.ts'
import { attempt } from '../../retry.ts'
import type { CallContext } from '../gate/call-context.ts'
import { settleResult } from './settle-result.ts'

/** As long as a greeting may take: an agent that has just begun to listen declares nobody dead, in milliseconds. */
const listeningMs = 15_000
/** A replica that was silent for so long does not come back to answer a cancel, in milliseconds. */
const forgottenMs = 10 * 60_000

/**
 * APPR-08, INT-11: calls whose worker has no living replica end. One that ran is interrupted at once; one that never
 * began is called off after the grace, though not while a worker that comes back could still find and begin its job.
 */
export async function endAbandoned(ctx: CallContext, listeningSince: Date): Promise<void> {
  if (Date.now() - listeningSince.getTime() < listeningMs) return
  for (const call of await findAbandoned(ctx.db, ctx.settings.workerGraceMs, maxJobAgeMs)) {
    await attempt(ctx, 'end a call', () => end(ctx, call))
  }
  for (const sessionId of await stopCancellingLost(ctx.db, forgottenMs)) {
    const due = await makeLiveTurnDue(ctx.db, sessionId)
    if (due !== undefined) await ctx.signals.turnDue(due.id, due.epoch)
  }
}

function end(ctx: CallContext, call: ToolCallRow): Promise<void> {
  const worker = call.worker ?? ctx.settings.worker
  const message = {
    type: 'result',
    worker,
    replica: call.replica ?? 'none',
    at: new Date().toISOString(),
    callId: call.id,
    attempt: call.attempt,
    jobType: 'run',
    durationMs: 0,
    outcome: endOf(call, worker),
  } as const
  return settleResult(ctx, call, message, 'nobody')
}

function endOf(call: ToolCallRow, worker: string): CallOutcome {
  if (call.state === 'running') return { kind: 'interrupted' }
  const message = `the worker "${worker}" went away before it began`
  return { kind: 'failed', error: { category: 'cancelled', message } }
}
