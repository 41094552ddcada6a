import type { Observer } from '../ports/observer.ts'
import type { CallOutcome, JobHeader } from '../rules/jobs/contract.ts'
import type { VerifiedJob } from '../rules/jobs/verify.ts'

/** Source of a worker's events. */
export interface Teller {
  readonly observer: Observer
  readonly worker: string
  readonly replica: { readonly id: string }
}

/** Records that a new job was taken. */
export function tellTaken(teller: Teller, header: JobHeader): void {
  teller.observer.record({ kind: 'job_taken', ...namesOf(teller, header) })
}

/** Records that a job was refused. Nothing of an unsigned job is trusted, including its ids. */
export function tellRefused(
  { observer, worker, replica }: Teller,
  { header }: Extract<VerifiedJob, { kind: 'refused' }>,
): void {
  const ids = header === undefined ? {} : { turnId: header.turnId, callId: header.callId }
  observer.record({ kind: 'job_refused', worker, replica: replica.id, ...ids })
}

/** Records how a call ran. Times are those of `performance.now()`; the call may have ended before it started. */
export function tellRan(
  teller: Teller,
  header: JobHeader,
  outcome: CallOutcome,
  times: { readonly takenAt: number; readonly begunAt: number | undefined },
): void {
  const endedAt = performance.now()
  const begunAt = times.begunAt ?? endedAt
  teller.observer.record({
    kind: 'call_ran',
    ...namesOf(teller, header),
    outcome: outcome.kind,
    ...(outcome.kind === 'failed' ? { category: outcome.error.category } : {}),
    ...('filtered' in outcome && outcome.filtered ? { filters: outcome.filtered.rules } : {}),
    waitedMs: begunAt - times.takenAt,
    ms: endedAt - begunAt,
  })
}

function namesOf({ worker, replica }: Teller, header: JobHeader) {
  const { turnId, callId, tool, attempt, type } = header
  const job: 'run' | 'preview' = type === 'preview' ? 'preview' : 'run'
  return { turnId, callId, tool, job, attempt, worker, replica: replica.id }
}
