import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

/** Each takes some 10 KB of every connection that used it. Ours are about two hundred, lists of other lengths apart. */
const maxPrepared = 400

/**
 * A pool as kysely takes it, whose connections have each statement parsed and planned once: that is most of what the
 * server does for a short one. A connection whose plans a migration outdated is closed when it is given back.
 */
export function preparingPool(pool: Pool): PostgresPool {
  const names = new Map<string, string>()
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      const preparing = known.get(client) ?? preparingClient(client, names)
      known.set(client, preparing)
      return preparing
    },
  }
}

function preparingClient(client: PoolClient, names: Map<string, string>): PostgresPoolClient {
  let isOutdated = false
  const send = async <R>(text: string, values: unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      const name = values.length === 0 ? undefined : nameFor(text, names)
      const result = await client.query({ text, values, ...(name === undefined ? {} : { name }) })
      return result as PostgresQueryResult<R>
    } catch (error) {
      isOutdated ||= isOutdatedPlan(error)
      throw error
    }
  }
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query<R>(given: string | PostgresCursor<R>, values: readonly unknown[] = []): unknown {
    if (typeof given !== 'string') throw new Error('cursors are not used here')
    return send<R>(given, [...values])
  }
  return { query, release: (destroy) => client.release(destroy === true || isOutdated) }
}

/** Every connection knows a statement by the same name; beyond the limit they go without. */
function nameFor(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= maxPrepared) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/** A table has other columns than when the statement was planned. What failed may be tried again elsewhere. */
export function isOutdatedPlan(error: unknown): boolean {
  const featureNotSupported = '0A000'
  if (!(error instanceof DatabaseError) || error.code !== featureNotSupported) return false
  return error.routine === 'RevalidateCachedQuery'
}
