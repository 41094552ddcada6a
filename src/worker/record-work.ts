import type { Observer } from '../ports/observer.ts'
import type { CallOutcome, JobHeader } from '../rules/jobs/contract.ts'
import type { VerifiedJob } from '../rules/jobs/verify.ts'

/** Source of a worker's events. */
export interface EventSource {
  readonly observer: Observer
  readonly worker: string
  readonly replica: { readonly id: string }
}

/** Records that a new job was taken. */
export function recordTaken(source: EventSource, header: JobHeader): void {
  source.observer.record({ kind: 'job_taken', ...namesOf(source, header) })
}

/** Records that a job was refused. Nothing of an unsigned job is trusted, including its ids. */
export function recordRefused(
  { observer, worker, replica }: EventSource,
  { header }: Extract<VerifiedJob, { kind: 'refused' }>,
): void {
  const ids = header === undefined ? {} : { turnId: header.turnId, callId: header.callId }
  observer.record({ kind: 'job_refused', worker, replica: replica.id, ...ids })
}

/** Records how a call ran. Times are those of `performance.now()`; the call may have ended before it started. */
export function recordRan(
  teller: EventSource,
  header: JobHeader,
  outcome: CallOutcome,
  times: { readonly takenAt: number; readonly begunAt: number | undefined },
): void {
  const endedAt = performance.now()
  const startedAt = times.begunAt ?? endedAt
  teller.observer.record({
    kind: 'call_ran',
    ...namesOf(teller, header),
    outcome: outcome.kind,
    ...(outcome.kind === 'failed' ? { category: outcome.error.category } : {}),
    ...('filtered' in outcome && outcome.filtered ? { filters: outcome.filtered.rules } : {}),
    waitedMs: startedAt - times.takenAt,
    ms: endedAt - startedAt,
  })
}

function namesOf({ worker, replica }: EventSource, header: JobHeader) {
  const { turnId, callId, tool, attempt, type } = header
  const job: 'run' | 'preview' = type === 'preview' ? 'preview' : 'run'
  return { turnId, callId, tool, job, attempt, worker, replica: replica.id }
}
