import type { Check } from '../../adapters/http/health-route.ts'
import type { Queue } from '../../ports/queue.ts'

/** Checks that jobs can be added. */
export function checkQueue(queue: Queue): Check {
  return async () => {
    await queue.check()
    return undefined
  }
}
