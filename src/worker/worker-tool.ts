import type PQueue from 'p-queue'
import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { WebHop } from '../domain/web-hop.ts'

/** Call of a tool that runs in the worker's process. */
interface WorkerToolCall {
  readonly callId: string
  readonly caller: string
  readonly conversation: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** MCP-01: digest of the approved tool of a server. */
  readonly pin?: string | undefined
}

/** Outcome of such a call, with its web requests (WEB-07). */
export type WorkerToolOutcome = Extract<ExecutorOutcome, { kind: 'ok' | 'error' }> & {
  readonly hops?: readonly WebHop[]
  /** Milliseconds until a retry is allowed, if the server said so. */
  readonly retryAfterMs?: number
  /** Number of executions, for retryable tools (ERR-03). */
  readonly tries?: number
}

/** Implementation of a tool with `runsIn: 'worker'`: web tools and MCP servers. Arguments are already parsed. */
export type WorkerTool = (
  args: Readonly<Record<string, unknown>>,
  call: WorkerToolCall,
) => Promise<WorkerToolOutcome>

/**
 * Takes a slot of `queue` in order of arrival, and holds it until the result is disposed. Rejects if aborted while waiting;
 * an aborted holder keeps its slot until it disposes it.
 */
export async function takeSlot(queue: PQueue, signal: AbortSignal): Promise<Disposable> {
  const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
  // Aborts only the wait, because the queue frees the slot of a task that is aborted while it runs.
  const wait = new AbortController()
  const stop = (): void => wait.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const hold = (): Promise<void> => {
    signal.removeEventListener('abort', stop)
    return new Promise((leave) => resolve({ [Symbol.dispose]: leave }))
  }
  queue.add(hold, { signal: wait.signal }).catch(reject)
  return promise
}
