import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { askServer } from './ask-server.ts'
import { readRunFile } from './run-file.ts'
import type { SocketConnection } from './socket-connection.ts'

/**
 * How to reach the PostgreSQL that a product running over this data directory has started; undefined when none answers.
 * For commands beside it, which neither lock the directory nor stop anything.
 */
export async function connectRunning(dataDir: string): Promise<SocketConnection | undefined> {
  const found = await readRunFile(dataDir)
  if (found === undefined) return undefined
  const directory = await realpath(join(dataDir, 'postgres')).catch(() => '')
  const answer = await askServer(found.connection.host, directory)
  return answer === 'ready' ? found.connection : undefined
}
