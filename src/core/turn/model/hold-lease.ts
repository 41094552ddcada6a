import { leaseMs, renewLease } from '../../../db/turn/turns.ts'
import type { TurnContext } from '../turn-context.ts'

/**
 * Runs `work` while renewing the turn's lease. Its signal fires when the lease is lost or the turn is stopped; what
 * `work` then answers no longer counts, because every write of a step names its epoch.
 */
export async function holdLease<T>(
  ctx: TurnContext,
  turn: { readonly id: string; readonly epoch: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  ctx.underWay.set(turn.id, controller)
  const timer = setInterval(() => {
    renewLease(ctx.db, turn.id, turn.epoch).then(
      (held) => (held ? undefined : controller.abort(new Error('the turn is no longer ours'))),
      // A database that is away for a moment is not a lost lease; whoever takes it over raises the epoch.
      (error: unknown) =>
        ctx.log.warn({ turn: turn.id, error: String(error) }, 'a lease could not be renewed'),
    )
  }, leaseMs / 3)
  try {
    return await work(controller.signal)
  } finally {
    clearInterval(timer)
    if (ctx.underWay.get(turn.id) === controller) ctx.underWay.delete(turn.id)
  }
}
