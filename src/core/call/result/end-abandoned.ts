import {
  type AbandonedCall,
  findAbandoned,
  stopCancellingLost,
} from '../../../db/call/silent-calls.ts'
import { makeLiveTurnDue } from '../../../db/turn/turn-activity.ts'
import type { CallOutcome } from '../../../rules/jobs/contract.ts'
import { maxJobAgeMs } from '../../../rules/jobs/sign.ts'
import { attempt } from '../../transaction.ts'
import type { CallContext } from '../gate/call-context.ts'
import { settleResult } from './settle-result.ts'

/** Milliseconds an agent must have listened before it may declare a replica dead, as long as a greeting may take. */
const listeningMs = 15_000
/** Milliseconds of silence after which a replica is not expected to answer a cancel. */
const forgottenMs = 10 * 60_000

/**
 * APPR-08, INT-11: ends calls whose worker has no living replica. A running call is interrupted at once; a queued one is
 * cancelled after the grace period, but not while a returning worker could still start its job.
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

function end(ctx: CallContext, call: AbandonedCall): Promise<void> {
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

/** A start is reported after a moment, so a replica that was alive may have started the call without a word. */
function endOf(
  { state, may_have_begun: mayHaveBegun }: AbandonedCall,
  worker: string,
): CallOutcome {
  if (state === 'running' || mayHaveBegun) return { kind: 'interrupted' }
  const message = `the worker "${worker}" went away before it began`
  return { kind: 'failed', error: { category: 'cancelled', message } }
}
