import { Queue as BullQueue, QueueKeys } from 'bullmq'
import type { Consumer, Queue, QueueJob } from '../../ports/queue.ts'
import type { Log } from '../../util/log.ts'
import {
  type BullmqStore,
  type ConsumerTuning,
  startConsumer,
  wrapJobData,
} from './start-consumer.ts'

/** BullMQ refuses purely numeric ids. */
const jobId = /^(?!\d+$)[A-Za-z0-9.-]+$/
/** BullMQ on Redis stores a job next to the keys of its queue: an id such as `wait` would overwrite one. */
const takenIds = new Set(Object.keys(new QueueKeys().getKeys('any')))
const eventsKept = 100

/** The queue port on BullMQ, with any store. */
export class BullmqQueue implements Queue {
  readonly #store: BullmqStore
  readonly #log: Log
  readonly #tuning: ConsumerTuning
  readonly #queues = new Map<string, OpenQueue>()
  readonly #consumers = new Set<Consumer>()
  #disposed: Promise<void> | undefined

  constructor(store: BullmqStore, log: Log, tuning: ConsumerTuning) {
    this.#store = store
    this.#log = log
    this.#tuning = tuning
    store.onReturn(() => this.#settleAgain())
  }

  async add(queue: string, id: string, data: unknown): Promise<void> {
    if (!jobId.test(id) || takenIds.has(id)) throw new Error(`not a job id: ${JSON.stringify(id)}`)
    const open = this.#open(queue)
    const options = { jobId: id, attempts: 1, removeOnComplete: true, removeOnFail: true }
    await this.#store.runWithinTime(() => open.add('job', wrapJobData(data), options))
  }

  async check(): Promise<void> {
    this.#assertOpen()
    await this.#store.runWithinTime(() => this.#store.check())
  }

  async depth(queue: string): Promise<number> {
    const open = this.#open(queue)
    return await this.#store.runWithinTime(() => open.getJobCountByTypes('waiting', 'active'))
  }

  async consume(
    queue: string,
    concurrency: number,
    handle: (job: QueueJob) => Promise<void>,
  ): Promise<Consumer> {
    this.#assertOpen()
    const running = await startConsumer({
      store: this.#store,
      log: this.#log,
      tuning: this.#tuning,
      queue,
      concurrency,
      handle,
    })
    const consumer: Consumer = {
      [Symbol.asyncDispose]: async () => {
        this.#consumers.delete(consumer)
        await running[Symbol.asyncDispose]()
      },
    }
    this.#consumers.add(consumer)
    return consumer
  }

  async forget(queue: string): Promise<void> {
    const open = this.#open(queue)
    await this.#store.runWithinTime(() => open.obliterate({ force: true }))
    // Obliterating removes the queue's settings as well; they are written when it is opened again.
    this.#queues.delete(queue)
  }

  async forgetAll(): Promise<void> {
    for (const name of await this.#store.listQueues()) await this.forget(name)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose()
    return this.#disposed
  }

  async #dispose(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer[Symbol.asyncDispose]()))
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()))
    await this.#store.close()
  }

  #open(name: string): OpenQueue {
    this.#assertOpen()
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const queue = openQueue(this.#store, name)
    queue.on('error', (error) => this.#tell(name, error))
    this.#queues.set(name, queue)
    return queue
  }

  /** Restores the settings of queues on a server that lost its data. */
  #settleAgain(): void {
    for (const [name, queue] of this.#queues) {
      const settled = queue.getBackend().setQueueMeta(queue.metaValues)
      settled.catch((error: Error) => this.#tell(name, error))
    }
  }

  #tell(queue: string, error: Error): void {
    if (this.#store.logsItself(error)) return
    this.#log.warn({ queue, err: this.#store.plain(error) }, 'queue: error')
  }

  #assertOpen(): void {
    if (this.#disposed !== undefined) throw new Error('the queue is closed')
  }
}

type OpenQueue = ReturnType<typeof openQueue>

function openQueue(store: BullmqStore, name: string) {
  // Events of BullMQ are not used; by default it keeps 10,000 per queue.
  const streams = { events: { maxLen: eventsKept } }
  return new BullQueue(name, { connection: store.connection, streams }, store.backendFactory)
}
