import type { EventEmitter } from 'node:events'
import type { PgPoolClient, PgQueryResult } from 'bullmq'
import type { QueuePoolClient } from './queue-pool.ts'

type Listener = Parameters<EventEmitter['on']>[1]

/** One pooled connection as many workers use it: pg wants its queries one after the other. */
export class SharedClient implements PgPoolClient {
  readonly #client: QueuePoolClient
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: QueuePoolClient) {
    this.#client = client
    client.setMaxListeners(0)
  }

  query<R>(text: string, values: readonly unknown[] = []): Promise<PgQueryResult<R>> {
    const result = this.#last.then(() => this.#client.query(text, [...values]))
    this.#last = result.catch(() => undefined)
    return result as Promise<PgQueryResult<R>>
  }

  on(event: string, told: Listener): this {
    this.#client.on(event, told)
    return this
  }

  removeListener(event: string, told: Listener): this {
    this.#client.removeListener(event, told)
    return this
  }

  removeAllListeners(event?: string): this {
    this.#client.removeAllListeners(event)
    return this
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy)
  }
}
