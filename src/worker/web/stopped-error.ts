import type { ToolError } from '../../domain/tool/tool-error.ts'

/** Describes why a call ended early: its time limit or a cancellation. */
export function stoppedError({ reason }: AbortSignal): ToolError {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (!isLate) return { category: 'cancelled', message: 'the call was stopped' }
  return { category: 'timeout', message: 'It did not end within its time limit' }
}
