import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, DatabaseError } from 'pg'
import { readRunFile } from './run-file.ts'
import { embeddedName, type SocketConnection } from './socket-directory.ts'

/**
 * Returns the connection of the PostgreSQL that a running product started for this data directory; undefined if it does
 * not answer. For other commands, which neither lock the directory nor stop the server.
 */
export async function connectRunning(dataDir: string): Promise<SocketConnection | undefined> {
  const found = await readRunFile(dataDir)
  if (found === undefined) return undefined
  const directory = await realpath(join(dataDir, 'postgres')).catch(() => '')
  const answer = await askServer(found.connection.host, directory)
  return answer === 'ready' ? found.connection : undefined
}

/** Response of a server at its socket; `silent` includes servers of another directory. */
type ServerResponse = 'ready' | 'starting' | 'silent'

/** Connects once, for at most 5 s, and asks which directory the server serves. */
export async function askServer(
  socketDirectory: string,
  directory: string,
): Promise<ServerResponse> {
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

/** Creates an unconnected client for the database `postgres` at the socket. A query may take `patienceMs`. */
export function maintenanceClient(socketDirectory: string, patienceMs: number): Client {
  const client = new Client({
    host: socketDirectory,
    // Set explicitly, since pg would otherwise read them from the environment.
    port: 5432,
    ssl: false,
    user: embeddedName,
    database: 'postgres',
    connectionTimeoutMillis: 5000,
    query_timeout: patienceMs,
  })
  // Ignored, since the query on a lost connection rejects itself.
  client.on('error', () => undefined)
  return client
}

// cannot_connect_now: the server is starting up, recovering or shutting down.
function isCannotConnectNow(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57P03'
}
