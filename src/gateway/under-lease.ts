import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../db/schema.ts'
import { releaseLease, takeLease } from '../db/turn/leases.ts'
import { holdClaim } from '../util/hold-claim.ts'
import type { Log } from '../util/log.ts'

export interface LeaseOptions {
  readonly db: Db
  readonly name: string
  readonly owner: string
  readonly log: Log
  /** Ends it all. */
  readonly signal: AbortSignal
  /** Told each time that another is found to hold it, once until it is got. */
  readonly onStandby?: (() => void) | undefined
}

/** Who has not said so again for that long is taken for dead, in milliseconds. */
const leaseMs = 15_000
const askEveryMs = 1_000

/**
 * Runs `work` while this process alone holds the named lease, and again whenever it gets it back. The signal given to
 * `work` fires within seconds when the lease is another's: a lease spares double work, it does not keep data whole.
 * Rejects when `work` does.
 */
export async function underLease(
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { signal } = options
  let isStandingBy = false
  while (!signal.aborted) {
    const taken = await take(options)
    if (taken === 'lost' && !isStandingBy) options.onStandby?.()
    if (taken !== 'unanswered') isStandingBy = taken === 'lost'
    if (taken === 'held') await holding(options, work)
    else await pause(askEveryMs, signal)
  }
}

async function holding(
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { db, name, owner, log, signal } = options
  const renew = () => takeLease(db, name, owner, leaseMs)
  try {
    await holdClaim({ what: `the lease ${name}`, claimMs: leaseMs, renew, log }, (lost) =>
      work(AbortSignal.any([signal, lost])),
    )
  } finally {
    await releaseLease(db, name, owner).catch((error: unknown) =>
      log.warn({ err: error }, 'a lease was not given up; it runs out by itself'),
    )
  }
}

async function take({
  db,
  name,
  owner,
  log,
}: LeaseOptions): Promise<'held' | 'lost' | 'unanswered'> {
  try {
    return (await takeLease(db, name, owner, leaseMs)) ? 'held' : 'lost'
  } catch (error) {
    log.warn({ err: error, lease: name }, 'the database did not answer for a lease')
    return 'unanswered'
  }
}

/** Never rejects: whoever waits looks at the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
