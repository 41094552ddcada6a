import type { Log } from './log.ts'

/**
 * Runs `work` now, and again `intervalMs` after each run has ended, until disposed; disposing waits for a current run. Errors are
 * logged, as the next run may succeed.
 */
export function runPeriodically(
  intervalMs: number,
  log: Log,
  what: string,
  work: () => Promise<void>,
): AsyncDisposable {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const run = async (): Promise<void> => {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error, what }, 'periodic task failed, will retry')
    }
    if (!stopped) timer = setTimeout(begin, intervalMs)
  }
  const begin = (): void => {
    running = run()
  }
  begin()
  return {
    [Symbol.asyncDispose]: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/**
 * Delay before attempt `attempt` + 1 (counted from 0) in milliseconds: doubling, at most `maxMs`, with jitter over its upper
 * half.
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30))
  return Math.round(full * (0.5 + Math.random() / 2))
}
