import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable, type ToolError } from '../domain/tool/tool-error.ts'
import type { WebHop } from '../domain/web-hop.ts'
import type { RetryLimits } from './retry-limits.ts'
import type { WorkerToolOutcome } from './worker-tool.ts'

/** Added to a Retry-After, which is measured by another clock than timers. */
const marginMs = 5
/** Minimum time for a try; with less, the failure would only become a timeout. */
const leastTryMs = 250

const stopped: ToolError = { category: 'cancelled', message: 'the call was stopped' }

/**
 * ERR-03: runs a repeatable call until it succeeds, fails permanently or reaches `limits`. `run` gets the milliseconds
 * that a try may take; undefined for no limit. A wait ends when `signal` aborts. Hops of all tries are kept and numbered.
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

/** Returns the milliseconds to wait before another try; undefined for none. */
function waitFor(
  outcome: WorkerToolOutcome,
  tries: number,
  { maxAttempts, baseMs, maxMs }: RetryLimits,
): number | undefined {
  if (outcome.kind !== 'error' || !isRetryable(outcome.error.category)) return undefined
  if (tries > maxAttempts) return undefined
  const jitterMs = Math.random() * Math.min(maxMs, baseMs * 2 ** (tries - 1))
  const { retryAfterMs } = outcome
  // Jitter, so that clients with the same Retry-After do not return at once.
  return retryAfterMs === undefined ? jitterMs : retryAfterMs + marginMs + jitterMs
}
