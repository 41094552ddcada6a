import { maintenanceClient } from './ask-server.ts'
import type { SocketConnection } from './socket-connection.ts'

/** Makes the database of the connection where the server does not have it yet. */
export async function ensureDatabase({ host, database }: SocketConnection): Promise<void> {
  const client = maintenanceClient(host, 60_000)
  try {
    await client.connect()
    const found = await client.query('select from pg_database where datname = $1', [database])
    if (found.rowCount === 0) {
      await client.query(`create database ${client.escapeIdentifier(database)}`)
    }
  } finally {
    await client.end()
  }
}
