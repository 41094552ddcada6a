import type { LiveEvent } from '../../ports/chat.ts'

const intervalMs = 250
const maxPartLength = 1500

/**
 * Collects a model's text into at most four events a second, each small enough for the bus (DECISIONS 25). `end` sends
 * what is left. Losing any of it changes nothing: the final message is complete.
 */
export function createTextStream(
  turn: { readonly id: string; readonly epoch: number },
  publish: (event: LiveEvent) => void,
): { readonly push: (text: string) => void; readonly end: () => void } {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    for (let start = 0; start < waiting.length; start += maxPartLength) {
      const text = waiting.slice(start, start + maxPartLength)
      publish({ kind: 'text', turnId: turn.id, epoch: turn.epoch, text })
    }
    waiting = ''
  }
  return {
    push: (text) => {
      waiting += text
      timer ??= setTimeout(flush, intervalMs)
    },
    end: () => {
      clearTimeout(timer)
      flush()
    },
  }
}
