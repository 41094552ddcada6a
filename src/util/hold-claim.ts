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
 * nobody else. No renewal begins once `work` has ended, so that the claim can be given up.
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
  let last = Promise.resolve()
  const timer = setInterval(() => {
    last = renewOnce()
  }, claimMs / 3)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(timer)
    await last
  }
}
