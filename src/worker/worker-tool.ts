import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { WebHop } from '../domain/web-hop.ts'

/** Call of a tool that runs in the worker's process. */
export interface WorkerToolCall {
  readonly callId: string
  readonly caller: string
  readonly conversation: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
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
