import { Client, DatabaseError } from 'pg'
import { embeddedName } from './socket-connection.ts'

/** What a server says at its socket; `silent` is also a server of another directory. */
export type Answer = 'ready' | 'starting' | 'silent'

/** Connects once, for at most 5 s, and asks which directory the server at the socket serves. */
export async function askServer(socketDirectory: string, directory: string): Promise<Answer> {
  const client = maintenanceClient(socketDirectory, 5000)
  try {
    await client.connect()
    const { rows } = await client.query<{ directory: string }>(
      "select current_setting('data_directory') as directory",
    )
    return rows[0]?.directory === directory ? 'ready' : 'silent'
  } catch (error) {
    return isCannotConnectNow(error) ? 'starting' : 'silent'
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A client of the database `postgres` of the server at the socket, not yet connected. A query may take `patienceMs`. */
export function maintenanceClient(socketDirectory: string, patienceMs: number): Client {
  const client = new Client({
    host: socketDirectory,
    // Given, since pg would otherwise take them from the environment.
    port: 5432,
    ssl: false,
    user: embeddedName,
    database: 'postgres',
    connectionTimeoutMillis: 5000,
    query_timeout: patienceMs,
  })
  // The query that notices a lost connection fails by itself.
  client.on('error', () => undefined)
  return client
}

// cannot_connect_now: starting up, recovering or shutting down.
function isCannotConnectNow(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57P03'
}
