import type { Log } from './log.ts'

/**
 * Does `work` now and then every `intervalMs` after it has ended, until disposed; disposing waits for a run in hand.
 * What it throws is logged: the next run may do better.
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
      log.warn({ err: error, what }, 'a periodic task failed; it is tried again')
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
