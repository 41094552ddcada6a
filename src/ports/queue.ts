/** A job as a consumer sees it. `data` is whatever stood in the queue: parse it. */
export interface QueueJob {
  readonly id: string
  readonly data: unknown
}

/** Something that runs until it is disposed; disposing waits for the work in hand. */
export type Consumer = AsyncDisposable

/**
 * Jobs are hints, rows decide: a job may be lost or come twice. An id that the queue still keeps is swallowed;
 * done and failed jobs are removed at once, nothing is tried again by the queue itself.
 */
export interface Queue {
  /**
   * Adds a job. Ids hold letters, digits, `-` and `.`, and are no number; `data` is JSON without NUL or lone
   * surrogates. Rejects within seconds while the server is away; the job may come all the same.
   */
  add(queue: string, id: string, data: unknown): Promise<void>
  /** Rejects within seconds unless jobs can be added now: a server that is full or read-only answers questions all the same. */
  check(): Promise<void>
  /** How many jobs of `queue` are waiting or running, also those of other processes. */
  depth(queue: string): Promise<number>
  /** Runs `handle` for jobs of `queue`, at most `concurrency` at once. What it throws is logged, never retried. */
  consume(
    queue: string,
    concurrency: number,
    handle: (job: QueueJob) => Promise<void>,
  ): Promise<Consumer>
  /** Forgets a queue that nobody will ever consume again, with all its jobs. */
  forget(queue: string): Promise<void>
  /** Forgets all jobs of all queues; only for a start that knows that nobody else lives. */
  forgetAll(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
