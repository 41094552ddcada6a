import type { PostgresQueryResult } from 'kysely'
import { DatabaseError, type PoolClient, Query, type QueryConfig } from 'pg'

/**
 * Marks a transaction that needs no statements to begin and to commit: `read write`, which is what the server assumes
 * anyway, is all that tells it from a plain `begin`.
 */
export const beginPipelined = 'start transaction read write'

/**
 * Transaction without `begin` and `commit`. PostgreSQL runs everything between two Sync messages in one transaction, so
 * each statement ends with Flush, which asks for its result, and the commit is the Sync. Nothing else differs: locks are
 * held until then, and each statement has a snapshot of its own. After an error nothing more can run, as in any transaction.
 */
export class PipelinedTransaction {
  readonly #client: PoolClient
  #state: 'unused' | 'open' | 'aborted' = 'unused'

  constructor(client: PoolClient) {
    this.#client = client
  }

  async run<R>(statement: QueryConfig): Promise<PostgresQueryResult<R>> {
    // The server has ended the transaction with its error: a further statement would start another one.
    if (this.#state === 'aborted') throw new Error('the transaction has failed already')
    this.#state = 'open'
    try {
      return await new Promise((resolve, reject) => {
        const done = (error: Error | null, result: unknown): void =>
          error ? reject(error) : resolve(result as PostgresQueryResult<R>)
        this.#client.query(new Statement({ ...statement, ...extended }, done))
      })
    } catch (error) {
      this.#state = 'aborted'
      throw error
    }
  }

  /** Resolves once the server has committed; the command is `ROLLBACK` if a statement failed before. */
  async commit(): Promise<PostgresQueryResult<never>> {
    if (this.#state === 'aborted') return ended('ROLLBACK')
    if (this.#state === 'open') await this.#sync()
    return ended('COMMIT')
  }

  /** Rejects if the connection is broken, so that it is not used again. */
  async rollback(): Promise<PostgresQueryResult<never>> {
    if (this.#state === 'open') await this.#client.query(rollback)
    if (this.#state === 'aborted') await this.#sync()
    return ended('ROLLBACK')
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#client.query(new Sync((error) => (error ? reject(error) : resolve())))
    })
  }
}

/** Statements without values would else go by the simple protocol, which commits after each. */
const extended = { queryMode: 'extended' }

/** Ends with a Sync as well, which finds the transaction rolled back. */
const rollback = { text: 'rollback', ...extended }

function ended(command: 'COMMIT' | 'ROLLBACK'): PostgresQueryResult<never> {
  return { command, rowCount: 0, rows: [] }
}

/** The part of pg's connection that statements use. */
interface Wire {
  readonly stream: { destroy(error: Error): unknown }
  flush(): void
  sync(): void
  emit(event: 'readyForQuery', message: { readonly status: string }): unknown
}

type Done = (error: Error | null, result: unknown) => void

/** The part of pg's queries that its type declarations leave out; pg's client calls it as messages arrive. */
interface WireQuery {
  submit(wire: Wire): Error | null
  handleCommandComplete(message: unknown, wire: Wire): void
  handleError(error: Error, wire: Wire): void
}

const PgQuery: new (statement: QueryConfig, done: Done) => WireQuery = Query as never

/** Statement whose Sync is left out. */
class Statement extends PgQuery {
  override submit(wire: Wire): Error | null {
    const unsynced: Wire = Object.create(wire, { sync: { value: () => wire.flush() } })
    return super.submit(unsynced)
  }

  /** The server takes the next statement from here on, though it does not say so without a Sync. */
  override handleCommandComplete(message: unknown, wire: Wire): void {
    super.handleCommandComplete(message, wire)
    wire.emit('readyForQuery', { status: 'T' })
  }

  override handleError(error: Error, wire: Wire): void {
    // The server ignores all messages after its error until a Sync. An error of our own must not commit what was done.
    if (error instanceof DatabaseError) wire.sync()
    else wire.stream.destroy(error)
    super.handleError(error, wire)
  }
}

/** Commits what is open; resolves when the server is ready for the next transaction. */
class Sync {
  readonly #done: (error: Error | null) => void

  constructor(done: (error: Error | null) => void) {
    this.#done = done
  }

  submit(wire: Wire): null {
    wire.sync()
    return null
  }

  handleReadyForQuery(): void {
    this.#done(null)
  }

  handleError(error: Error): void {
    this.#done(error)
  }
}
