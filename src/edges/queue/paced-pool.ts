import { setTimeout as sleep } from 'node:timers/promises'
import type { PgPool, PgPoolClient, PgQueryResult } from 'bullmq'
import type { Log } from '../../util/log.ts'
import { backoffMs } from './backoff.ts'
import { isConnectionLoss } from './connection-loss.ts'
import type { QueuePool } from './queue-pool.ts'
import { SharedClient } from './shared-client.ts'

/**
 * The pool as BullMQ's workers get it: every failure is handed on only after a pause that grows while failures
 * go on. Without it a worker asks again at once and spins a core for as long as the server is away.
 */
export class PacedPool implements PgPool {
  readonly #pool: QueuePool
  readonly #log: Log
  #failures = 0
  #away = false

  constructor(pool: QueuePool, log: Log) {
    this.#pool = pool
    this.#log = log
  }

  query<R>(text: string, values: readonly unknown[] = []): Promise<PgQueryResult<R>> {
    const result = this.#paced(() => this.#pool.query(text, [...values]))
    return result as Promise<PgQueryResult<R>>
  }

  connect(): Promise<PgPoolClient> {
    return this.#paced(async () => new SharedClient(await this.#pool.connect()))
  }

  /** The pool is the caller's; who listens to it is the caller's business too. */
  on(): this {
    return this
  }

  removeAllListeners(): this {
    return this
  }

  async end(): Promise<void> {
    await Promise.resolve()
  }

  async #paced<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      this.#worked()
      return result
    } catch (error) {
      this.#failures++
      this.#tellLoss(error)
      await sleep(backoffMs(this.#failures), undefined, { ref: false })
      throw error
    }
  }

  #worked(): void {
    this.#failures = 0
    if (this.#away) this.#log.info({}, 'queue: the database is back')
    this.#away = false
  }

  #tellLoss(error: unknown): void {
    if (this.#away || !isConnectionLoss(error)) return
    this.#away = true
    this.#log.warn({ err: error }, 'queue: the database is away')
  }
}
