import type { ToolError } from '../../domain/tool/tool-error.ts'

/** Why something ended before it was done: its time was over, or nobody wants it any more. */
export function stoppedError({ reason }: AbortSignal): ToolError {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (!isLate) return { category: 'cancelled', message: 'the call was stopped' }
  return { category: 'timeout', message: 'It did not end within its time limit' }
}
