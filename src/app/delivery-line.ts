import type { Log } from '../util/log.ts'

/** Work by conversation: one at a time for each, and again when it was asked for meanwhile. */
export interface DeliveryLine extends Disposable {
  /** Asks for work on a conversation now. Never rejects, never waits. */
  ask(id: string): void
}

/** `work` answers after how many milliseconds it is worth another look, if at all. */
export function createDeliveryLine(
  work: (id: string) => Promise<number | undefined>,
  log: Log,
): DeliveryLine {
  const again = new Map<string, boolean>()
  const timers = new Map<string, NodeJS.Timeout>()
  const run = async (id: string): Promise<void> => {
    try {
      while (again.get(id) === true) {
        again.set(id, false)
        lookAgain(id, await work(id))
      }
    } catch (error) {
      log.warn({ err: error }, 'a delivery failed; it is tried again')
    } finally {
      again.delete(id)
    }
  }
  const lookAgain = (id: string, afterMs: number | undefined): void => {
    clearTimeout(timers.get(id))
    timers.delete(id)
    if (afterMs === undefined) return
    const timer = setTimeout(() => {
      timers.delete(id)
      ask(id)
    }, afterMs)
    timer.unref()
    timers.set(id, timer)
  }
  const ask = (id: string): void => {
    const isUnderWay = again.has(id)
    again.set(id, true)
    if (!isUnderWay) void run(id)
  }
  return {
    ask,
    [Symbol.dispose]: () => {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}
