import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../../util/log.ts'
import { backoffMs } from '../../../util/run-periodically.ts'

const firstPauseMs = 1_000
const maxPauseMs = 30_000
const repeatMs = 600_000

/** Delays retries after failures and logs the reason, each reason at most once in 10 minutes. */
export interface Backoff {
  /** Records a success: the next delay is the shortest again. */
  succeeded(): void
  /** Waits before the next attempt, longer after each failure; resolves early when the signal aborts. */
  wait(why: string, atLeastMs?: number): Promise<void>
}

export function createBackoff(options: {
  readonly log: Log
  readonly what: string
  readonly signal: AbortSignal
  readonly sleep?: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<void>
}): Backoff {
  const { log, what, signal, sleep = delay } = options
  let failures = 0
  let hasWarned = false
  let last: { readonly why: string; readonly at: number } | undefined
  const warn = (why: string): void => {
    if (why === last?.why && performance.now() - last.at < repeatMs) return
    last = { why, at: performance.now() }
    hasWarned = true
    log.warn({ why, failures }, `${what} failed, will retry`)
  }
  return {
    succeeded: () => {
      if (hasWarned) log.info({ failures }, `${what} recovered`)
      failures = 0
      hasWarned = false
    },
    wait: async (why, atLeastMs = 0) => {
      const pauseMs = Math.max(atLeastMs, backoffMs(failures, firstPauseMs, maxPauseMs))
      failures++
      warn(why)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    },
  }
}
