import type { ExecutorOutcome } from '../domain/executor-protocol.ts'

/** What a tool that runs beside the boxes is told of its call. */
export interface WorkerToolCall {
  readonly callId: string
  readonly caller: string
  readonly conversation: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A tool whose spec says `runsIn: 'worker'`: the web tools, MCP servers. Arguments are already parsed. */
export type WorkerTool = (
  args: Readonly<Record<string, unknown>>,
  call: WorkerToolCall,
) => Promise<ExecutorOutcome>
