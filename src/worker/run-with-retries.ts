import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable, type ToolError } from '../domain/tool/tool-error.ts'
import type { WebHop } from '../domain/web-hop.ts'
import type { RetryLimits } from './retry-limits.ts'
import type { WorkerToolOutcome } from './worker-tool.ts'

/** A Retry-After is counted by another clock than timers: this much is waited beyond it. */
const marginMs = 5
/** A try that has less time than this left would only turn the failure into a time-out. */
const leastTryMs = 250

const stopped: ToolError = { category: 'cancelled', message: 'the call was stopped' }

/**
 * ERR-03: runs a call that may be repeated until it works, fails for good, or `limits` are used up. `run` is given the
 * milliseconds that a try may take; undefined: as many as it wants. A wait ends at once when `signal` fires. Hops of every try
 * are kept, each of a further one with its number.
 */
export async function runWithRetries(
  run: (withinMs: number | undefined) => Promise<WorkerToolOutcome>,
  limits: RetryLimits,
  signal: AbortSignal,
): Promise<WorkerToolOutcome> {
  const startedAt = performance.now()
  const leftMs = () => limits.budgetMs - (performance.now() - startedAt)
  const hops: WebHop[] = []
  let outcome = await run(undefined)
  for (let tries = 1; ; tries += 1) {
    hops.push(...(outcome.hops ?? []).map((hop) => (tries === 1 ? hop : { ...hop, try: tries })))
    const isWeb = outcome.hops !== undefined || hops.length > 0
    const ended = { ...outcome, tries, ...(isWeb ? { hops: [...hops] } : {}) }
    const waitMs = waitFor(outcome, tries, limits)
    if (waitMs === undefined || waitMs + leastTryMs > leftMs()) return ended
    await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return { ...ended, kind: 'error', error: stopped }
    outcome = await run(Math.max(leftMs(), 1))
  }
}

/** How long to wait before another try, in milliseconds; undefined: there is none. */
function waitFor(
  outcome: WorkerToolOutcome,
  tries: number,
  { maxAttempts, baseMs, maxMs }: RetryLimits,
): number | undefined {
  if (outcome.kind !== 'error' || !isRetryable(outcome.error.category)) return undefined
  if (tries > maxAttempts) return undefined
  const jitterMs = Math.random() * Math.min(maxMs, baseMs * 2 ** (tries - 1))
  const { retryAfterMs } = outcome
  // All that were told the same time must not come back at once.
  return retryAfterMs === undefined ? jitterMs : retryAfterMs + marginMs + jitterMs
}
