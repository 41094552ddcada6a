import type { Log } from './log.ts'

/** A time-limited claim in a database row, renewed by its holder. */
export interface Claim {
  /** A name for the log. */
  readonly what: string
  /** Lifetime in milliseconds; renewed every third of it. */
  readonly claimMs: number
  /** Extends the claim to `claimMs` from now; false if it was lost or revoked. */
  renew(): Promise<boolean>
  readonly log: Log
}

/**
 * Runs `work` while renewing a claim already held. The signal fires once the claim is lost; by then another holder may have
 * started, so the signal only avoids double work. A failed renewal does not lose the claim, because an unreachable database
 * cannot grant it to anyone else. Renewals do not overlap, and stop with `work` or when the claim is lost, so that it can be
 * released.
 */
export async function holdClaim<T>(
  { what, claimMs, renew, log }: Claim,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  const renewOnce = async (): Promise<void> => {
    try {
      if (!(await renew())) lost.abort(new Error(`${what} is no longer ours`))
    } catch (error) {
      log.warn({ err: error, what }, 'failed to renew a claim, will retry')
    }
  }
  let renewal: Promise<void> | undefined
  const timer = setInterval(() => {
    // One at a time: a slow renewal that ends after the work would claim again what was released.
    if (lost.signal.aborted) return
    renewal ??= renewOnce().finally(() => {
      renewal = undefined
    })
  }, claimMs / 3)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(timer)
    await renewal
  }
}
