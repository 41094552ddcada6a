import { leaseMs, renewLease } from '../../../db/turn/turns.ts'
import { holdClaim } from '../../../util/hold-claim.ts'
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
  const { db, log, underWay } = ctx
  const stopped = new AbortController()
  underWay.set(turn.id, stopped)
  const renew = () => renewLease(db, turn.id, turn.epoch)
  try {
    return await holdClaim({ what: `turn ${turn.id}`, claimMs: leaseMs, renew, log }, (lost) =>
      work(AbortSignal.any([stopped.signal, lost])),
    )
  } finally {
    if (underWay.get(turn.id) === stopped) underWay.delete(turn.id)
  }
}
