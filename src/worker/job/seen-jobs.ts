import type { JobHeader } from '../../rules/jobs/contract.ts'
import { hasExpired } from '../../rules/jobs/verify.ts'

/** Remembers jobs carried out by this process, by call id, until they expire. */
export class SeenJobs {
  readonly #seen = new Map<string, Pick<JobHeader, 'exp'>>()

  /** True if a job comes for the first time. */
  take({ callId, exp }: Pick<JobHeader, 'callId' | 'exp'>, nowSeconds: number): boolean {
    for (const [id, job] of this.#seen) if (hasExpired(job, nowSeconds)) this.#seen.delete(id)
    if (this.#seen.has(callId)) return false
    this.#seen.set(callId, { exp })
    return true
  }
}
