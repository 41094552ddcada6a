/**
 * Notifies other parts of committed changes. Signals may be lost, since rows decide and the sweeper finds missed
 * work. Never rejects for a lost signal.
 */
export interface Signals {
  /** A turn is due at this epoch. */
  turnDue(turnId: string, epoch: number): Promise<void>
  /** A conversation has messages to send. */
  outboxDue(conversationId: string): Promise<void>
  /** A turn was stopped: its model call is to be aborted and its calls are to be cancelled. */
  turnStopped(turnId: string): Promise<void>
  /** Boxes are to be restarted. */
  boxesDue(): Promise<void>
  /** A change or question about workers' rules is waiting. */
  rulesDue(): Promise<void>
  /** The tools that MCP servers may offer have changed. */
  toolsDue(): Promise<void>
  /** Sends a signed job to a worker. */
  sendJob(queue: string, id: string, data: unknown): Promise<void>
  /** Sends a signed cancellation to workers. */
  sendCancel(data: unknown): Promise<void>
  /** Publishes progress of a running turn. */
  live(conversationId: string, event: unknown): Promise<void>
  /** True if signals can be delivered; otherwise nothing arrives from workers either. */
  pass(): Promise<boolean>
}
