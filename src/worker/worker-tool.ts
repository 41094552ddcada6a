import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { WebHop } from '../domain/web-hop.ts'

/** What a tool that runs beside the boxes is told of its call. */
export interface WorkerToolCall {
  readonly callId: string
  readonly caller: string
  readonly conversation: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** How it ended, and what it asked of the web on the way (WEB-07). */
export type WorkerToolOutcome = Extract<ExecutorOutcome, { kind: 'ok' | 'error' }> & {
  readonly hops?: readonly WebHop[]
  /** When it may be tried again, if the other side said so: milliseconds from now. */
  readonly retryAfterMs?: number
  /** How often it was run, where a failure is tried again (ERR-03). */
  readonly tries?: number
}

/** A tool whose spec says `runsIn: 'worker'`: the web tools, MCP servers. Arguments are already parsed. */
export type WorkerTool = (
  args: Readonly<Record<string, unknown>>,
  call: WorkerToolCall,
) => Promise<WorkerToolOutcome>
