/** States of a call that a worker has. */
export const callStatesAtWorker = ['queued', 'running'] as const
/** States of a call that may still change; those that no worker has are the agent's. */
export const openCallStates = ['awaiting_approval', 'allowed', ...callStatesAtWorker] as const
/** States of a call that has ended for good. */
export const settledCallStates = [
  'succeeded',
  'failed',
  'denied',
  'cancelled',
  'interrupted',
] as const

/** Where a tool call stands. */
export type CallState = (typeof openCallStates)[number] | (typeof settledCallStates)[number]

/** BASH-02: what a shell command gave, on every path. Times in milliseconds. */
export interface ShellEnvelope {
  readonly stdout: string
  readonly stderr: string
  /** null when a signal ended it. */
  readonly exit_code: number | null
  readonly truncated: boolean
  readonly duration_ms: number
  readonly timed_out: boolean
}
