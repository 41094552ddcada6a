import type { EventEmitter } from 'node:events'

/** What the queue needs of a `pg.Pool` whose connections have `search_path=bullmq`. The caller listens to its errors and ends it. */
export interface QueuePool {
  query(text: string, values?: unknown[]): Promise<QueueRows>
  connect(): Promise<QueuePoolClient>
}

export interface QueueRows {
  readonly rows: unknown[]
  readonly rowCount: number | null
}

/** What the queue needs of a connection that was taken from the pool. */
export interface QueuePoolClient extends EventEmitter {
  query(text: string, values?: unknown[]): Promise<QueueRows>
  release(destroy?: boolean): void
}
