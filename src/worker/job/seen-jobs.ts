import type { JobHeader } from '../../rules/jobs/contract.ts'
import { hasExpired } from '../../rules/jobs/verify.ts'

/** Jobs that this process has carried out, by their call ids, until nobody may begin them any more. */
export class SeenJobs {
  readonly #seen = new Map<string, Pick<JobHeader, 'exp'>>()

  /** Whether a job comes for the first time; from then on it does not. */
  take({ callId, exp }: Pick<JobHeader, 'callId' | 'exp'>, nowSeconds: number): boolean {
    for (const [id, job] of this.#seen) if (hasExpired(job, nowSeconds)) this.#seen.delete(id)
    if (this.#seen.has(callId)) return false
    this.#seen.set(callId, { exp })
    return true
  }
}
