import type { LiveEvent } from '../../../ports/chat.ts'

const intervalMs = 250
const maxPartLength = 1500

/**
 * Collects a model's text into at most four events a second, each small enough for the bus (DECISIONS 25). `end` sends
 * what is left, as far as it fits one more. Losing any of it changes nothing: the final message is complete.
 */
export function createTextStream(
  turn: { readonly id: string; readonly epoch: number },
  publish: (event: LiveEvent) => void,
): { readonly push: (text: string) => void; readonly end: () => void } {
  let waiting = ''
  let offset = 0
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    if (waiting === '') return
    const text = waiting.slice(0, maxPartLength)
    publish({ kind: 'text', turnId: turn.id, epoch: turn.epoch, offset, text })
    offset += text.length
    waiting = waiting.slice(text.length)
    if (waiting !== '') timer = setTimeout(flush, intervalMs)
  }
  return {
    push: (text) => {
      waiting += text
      timer ??= setTimeout(flush, intervalMs)
    },
    end: () => {
      clearTimeout(timer)
      flush()
      clearTimeout(timer)
    },
  }
}
