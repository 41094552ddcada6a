import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

/** Each takes some 10 KB of every connection; ours are about two hundred, more when lists differ in length. */
const maxPrepared = 400

/**
 * A pool as kysely takes it, whose connections parse and plan each statement with parameters once: half of what a short
 * statement costs the server. A connection whose plans a migration has outdated is closed when it is given back.
 */
export function preparingPool(pool: Pool): PostgresPool {
  const names = new Map<string, string>()
  const clients = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      const known = clients.get(client) ?? new PreparingClient(client, names)
      clients.set(client, known)
      return known
    },
  }
}

class PreparingClient implements PostgresPoolClient {
  readonly #client: PoolClient
  readonly #names: Map<string, string>
  #isOutdated = false

  constructor(client: PoolClient, names: Map<string, string>) {
    this.#client = client
    this.#names = names
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query(): never
  async query<R>(
    text?: string,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> {
    if (text === undefined) throw new Error('cursors are not used here')
    const name = parameters.length === 0 ? undefined : nameOf(this.#names, text)
    const query = { text, values: [...parameters], ...(name === undefined ? {} : { name }) }
    try {
      const result = await this.#client.query(query)
      return result as PostgresQueryResult<R>
    } catch (error) {
      this.#isOutdated ||= isOutdatedPlan(error)
      throw error
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isOutdated)
  }
}
