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
  /** Ends waiting and work. */
  readonly signal: AbortSignal
  /** Called once each time another process is found to hold the lease. */
  readonly onStandby?: (() => void) | undefined
}

/** A holder that has not renewed for this long is considered dead, in milliseconds. */
const leaseMs = 15_000
const askEveryMs = 1_000

/**
 * Runs `work` while this process holds the named lease, and again each time it regains it. The signal given to `work` fires
 * within seconds after the lease was lost: a lease avoids double work, it does not protect data. Rejects when `work` does.
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
      log.warn({ err: error }, 'failed to release a lease; it will expire'),
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
    log.warn({ err: error, lease: name }, 'failed to renew a lease: no answer from the database')
    return 'unanswered'
  }
}

/** Never rejects; callers check the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
