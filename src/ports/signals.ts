/**
 * How a committed change reaches whoever acts on it. All of it may be lost: rows decide, the sweeper finds what nobody
 * was told of. Never rejects for a lost signal.
 */
export interface Signals {
  /** A turn is due at this epoch. */
  turnDue(turnId: string, epoch: number): Promise<void>
  /** A conversation has something to send. */
  outboxDue(conversationId: string): Promise<void>
  /** A turn was ended; its model call is to be aborted, and its calls are to be cancelled. */
  turnStopped(turnId: string): Promise<void>
  /** Boxes are to be restarted. */
  boxesDue(): Promise<void>
  /** Something is wanted of workers' rules. */
  rulesDue(): Promise<void>
  /** A signed job for a worker. */
  sendJob(queue: string, id: string, data: unknown): Promise<void>
  /** A signed cancel for a worker. */
  sendCancel(data: unknown): Promise<void>
  /** Something that shows while a turn runs. */
  live(conversationId: string, event: unknown): Promise<void>
  /** Whether signals pass: where they do not, nothing is heard of workers either. */
  pass(): Promise<boolean>
}
