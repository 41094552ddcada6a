/** States of a call that is with a worker. */
export const callStatesAtWorker = ['queued', 'running'] as const
/** States of a call that is not settled. Those before a worker takes it belong to the agent. */
export const openCallStates = ['awaiting_approval', 'allowed', ...callStatesAtWorker] as const
/** Final states of a call. */
export const settledCallStates = [
  'succeeded',
  'failed',
  'denied',
  'cancelled',
  'interrupted',
] as const

/** State of a tool call. */
export type CallState = (typeof openCallStates)[number] | (typeof settledCallStates)[number]

/** BASH-02: result of a shell command, present on every path. Times in milliseconds. */
export interface ShellEnvelope {
  readonly stdout: string
  readonly stderr: string
  /** null if a signal ended the command. */
  readonly exit_code: number | null
  readonly truncated: boolean
  readonly duration_ms: number
  readonly timed_out: boolean
}

/** Output of a command that printed nothing, as the executor words it for models. */
export const emptyOutput = '(no output)'

/** MODEL-02: the fenced block by which a model without native tool calls may call a tool. */
export interface CallBlock {
  /** The word behind the fence. */
  readonly mark: string
  /** The argument that the block's text is; absent: the text is all arguments, as JSON. */
  readonly argument?: string
}
