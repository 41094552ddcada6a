import type { Log } from './log.ts'

/** A claim that lasts for a time in a row of the database, and that its holder renews. */
export interface Claim {
  /** For the log: what is claimed. */
  readonly what: string
  /** Its lifetime in milliseconds; it is renewed every third of that. */
  readonly claimMs: number
  /** Makes it last for `claimMs` from now; false: another has it, or it was taken back. */
  renew(): Promise<boolean>
  readonly log: Log
}

/**
 * Runs `work` while renewing a claim that is held already. The signal fires once the claim is lost; then the claim spares
 * double work only, since another may have begun. A renewal that fails does not lose it: a database that is away gives it to
 * nobody else. Renewals do not overlap, and end with `work` or with the claim, so
 * that it can be given up.
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
      log.warn({ err: error, what }, 'a claim could not be renewed; it is tried again')
    }
  }
  let renewal: Promise<void> | undefined
  const timer = setInterval(() => {
    // One at a time: a slow one that ends after the work would claim anew what was given up.
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
