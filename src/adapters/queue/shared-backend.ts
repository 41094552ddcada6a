import {
  type KeepJobs,
  type MinimalJob,
  type PostgresConnection,
  PostgresQueueBackend,
  type QueueBaseOptions,
} from 'bullmq'

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** The channel of BullMQ's function `add_job`; the payload is the queue's name. */
const announcements = 'bullmq_jobs'
const longestBlockSeconds = 5
/** Tells BullMQ's worker to look for a job now. */
const lookNow = { score: 0 }
/** BullMQ's answer for "no job", without a limit of the rate and without a delayed job. */
const noJob: readonly unknown[] = [null, '', 0, 0]

/**
 * BullMQ's Postgres backend on a connection shared by all queues and workers, with a single LISTEN. It counts as the
 * connection's owner, as only owners repeat LISTEN after a lost connection, but it does not close it.
 *
 * Every added job is announced by NOTIFY, and no job here is delayed or limited in rate. Announcements are therefore
 * counted, and where none is outstanding the queue is known to be empty without a statement. It is looked into anyway
 * at the start, after a lost connection, and every 5 s.
 */
export class SharedBackend extends PostgresQueueBackend {
  #client: ListenClient | undefined
  /** Number of announcements heard, and of those that led to a job or to an empty queue. */
  #heard = 0
  #answered = 0
  /** True if there may be jobs whose announcement was not heard. */
  #isUnsure = true
  #isStopped = false
  #wake: (() => void) | undefined

  /** `options` are those of the BullMQ queue or worker; `listens` is true for a worker. */
  constructor(
    connection: PostgresConnection,
    queue: string,
    options: QueueBaseOptions<unknown>,
    listens: boolean,
  ) {
    super(connection, queue, { ...options, connection: connection.pool }, listens)
    if (listens) connection.on('listenerinvalidated', this.#loseClient)
  }

  override close(): Promise<void> {
    this.connection.off('listenerinvalidated', this.#loseClient)
    this.#client?.removeListener('notification', this.#hear)
    return Promise.resolve()
  }

  /** Interval of polling without a notification; by default it would be an hour after a lost connection. */
  override get maximumBlockTimeout(): number {
    return longestBlockSeconds
  }

  override async moveToActive(token: string, name?: string): Promise<unknown[]> {
    if (!this.#mayHaveJob) return [...noJob]
    return this.#look(
      () => super.moveToActive(token, name),
      ([job]) => job !== null,
    )
  }

  override async moveToCompleted<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    value: R,
    remove: boolean | number | KeepJobs,
    token: string,
    fetchNext: boolean,
  ) {
    const complete = (fetches: boolean) => super.moveToCompleted(job, value, remove, token, fetches)
    if (!fetchNext || !this.#mayHaveJob) return complete(false)
    return this.#look(
      () => complete(true),
      ({ result }) => result?.[0] != null,
    )
  }

  override async waitForJob(seconds: number) {
    if (this.#isStopped) return null
    await this.#listen()
    if (this.#isStopped) return null
    if (!this.#mayHaveJob) await this.#untilHeard(seconds * 1_000)
    return this.#mayHaveJob && !this.#isStopped ? { member: this.queueName, ...lookNow } : null
  }

  override disconnectBlocking(): Promise<void> {
    this.#isStopped = true
    this.#wake?.()
    return Promise.resolve()
  }

  override reconnectBlocking(): Promise<void> {
    this.#isStopped = false
    this.#loseClient()
    return Promise.resolve()
  }

  get #mayHaveJob(): boolean {
    return this.#isUnsure || this.#heard > this.#answered
  }

  /**
   * Takes a job. One that is found answers one announcement, if there may be no other jobs than announced ones; an empty
   * queue answers those that were heard before it was looked into.
   */
  async #look<T>(take: () => Promise<T>, isFound: (taken: T) => boolean): Promise<T> {
    const heard = this.#heard
    const wasUnsure = this.#isUnsure
    this.#isUnsure = false
    try {
      const taken = await take()
      if (!isFound(taken)) this.#answered = Math.max(this.#answered, heard)
      else if (wasUnsure) this.#isUnsure = true
      else this.#answered = Math.min(this.#answered + 1, this.#heard)
      return taken
    } catch (error) {
      this.#isUnsure = true
      throw error
    }
  }

  async #listen(): Promise<void> {
    const client = await this.connection.getListenClient()
    if (client === this.#client) return
    client.on('notification', this.#hear)
    await client.query(`LISTEN ${announcements}`)
    this.#client = client
    this.#isUnsure = true
  }

  readonly #loseClient = (): void => {
    this.#client?.removeListener('notification', this.#hear)
    this.#client = undefined
    this.#isUnsure = true
    this.#wake?.()
  }

  readonly #hear = ({ channel, payload }: { channel: string; payload?: string }): void => {
    if (channel !== announcements || payload !== this.queueName) return
    this.#heard += 1
    this.#wake?.()
  }

  async #untilHeard(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#isUnsure = true
      resolve()
    }, ms)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
    this.#wake = undefined
  }
}
