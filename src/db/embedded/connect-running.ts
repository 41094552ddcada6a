import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { askServer } from './ask-server.ts'
import { readRunFile } from './run-file.ts'
import type { SocketConnection } from './socket-connection.ts'

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
