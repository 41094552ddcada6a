/** Job as a consumer receives it. `data` is untrusted: parse it. */
export interface QueueJob {
  readonly id: string
  readonly data: unknown
}

/** Consumer that runs until disposed; disposing waits for jobs in progress. */
export type Consumer = AsyncDisposable

/**
 * Queue of jobs, which are hints: rows decide, and a job may be lost or delivered twice. Adding an id that the queue
 * still holds has no effect. Finished and failed jobs are removed at once; the queue itself never retries.
 */
export interface Queue {
  /**
   * Adds a job. Ids consist of letters, digits, `-` and `.`, and are not a number; `data` is JSON without NUL or lone
   * surrogates. Rejects within seconds while the server is unavailable, although the job may still arrive.
   */
  add(queue: string, id: string, data: unknown): Promise<void>
  /** Rejects within seconds unless jobs can be added now. A server that is full or read-only still answers reads. */
  check(): Promise<void>
  /** Returns the number of jobs of `queue` that wait or run, in all processes. */
  depth(queue: string): Promise<number>
  /** Runs `handle` for jobs of `queue`, at most `concurrency` at once. Errors are logged, never retried. */
  consume(
    queue: string,
    concurrency: number,
    handle: (job: QueueJob) => Promise<void>,
  ): Promise<Consumer>
  /** Deletes a queue that will not be consumed again, with all its jobs. */
  forget(queue: string): Promise<void>
  /** Deletes all jobs of all queues. Only for a start with no other process running. */
  forgetAll(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
