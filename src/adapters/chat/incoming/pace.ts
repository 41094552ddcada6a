import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../../util/backoff.ts'
import type { Log } from '../../../util/log.ts'

const firstPauseMs = 1_000
const longestPauseMs = 30_000
const sameAgainMs = 600_000

/** Slows down what fails, and says why: the same reason once in 10 minutes. */
export interface Pace {
  /** It worked: the next failure is the first again. */
  fine(): void
  /** Waits, ever longer, before the next try; resolves early when the signal ends it. */
  wait(why: string, atLeastMs?: number): Promise<void>
}

export function createPace(options: {
  readonly log: Log
  readonly what: string
  readonly signal: AbortSignal
  readonly sleep?: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<void>
}): Pace {
  const { log, what, signal, sleep = delay } = options
  let failures = 0
  let isSaid = false
  let last: { readonly why: string; readonly at: number } | undefined
  const say = (why: string): void => {
    if (why === last?.why && performance.now() - last.at < sameAgainMs) return
    last = { why, at: performance.now() }
    isSaid = true
    log.warn({ why, failures }, `${what}: failed, it is tried again`)
  }
  return {
    fine: () => {
      if (isSaid) log.info({ failures }, `${what}: works again`)
      failures = 0
      isSaid = false
    },
    wait: async (why, atLeastMs = 0) => {
      const pauseMs = Math.max(atLeastMs, backoffMs(failures, firstPauseMs, longestPauseMs))
      failures++
      say(why)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    },
  }
}
