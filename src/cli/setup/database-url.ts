import type { Config } from '../../config/config.ts'
import { connectRunning } from '../../db/embedded/connect-running.ts'
import { toUrl } from '../../db/embedded/socket-directory.ts'
import { CommandError } from '../../domain/command-error.ts'

/** Returns the URL of the embedded database, which contains no password. Throws CommandError if the product is not running. */
export async function databaseUrl(config: Config): Promise<string> {
  if (config.databaseUrl !== undefined) {
    throw new CommandError('the database is the one that DATABASE_URL names: use that address', {
      code: 'DATABASE_EXTERNAL',
    })
  }
  const running = await connectRunning(config.dataDir)
  if (running !== undefined) return toUrl(running)
  throw new CommandError(
    `no database is running in ${config.dataDir}: it runs while countersign start does`,
    { code: 'NOT_RUNNING' },
  )
}
