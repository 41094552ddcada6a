import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { EmbeddedPostgresError } from './errors.ts'

const prefix = 'countersign-'
const socketName = '.s.PGSQL.5432'
// sockaddr_un holds 108 bytes on Linux and 104 on macOS, the closing NUL included.
const longestPathBytes = process.platform === 'linux' ? 107 : 103

/** Makes a private directory (0700) for the socket under the first of the places that exists and is short enough. */
export async function makeSocketDirectory(runtimeDir: string | undefined): Promise<string> {
  const places = runtimeDir === undefined ? ['/tmp'] : [runtimeDir, '/tmp']
  const failures: string[] = []
  for (const place of places) {
    if (!fits(place)) {
      failures.push(`${place} is too long for the path of a socket (${longestPathBytes} bytes)`)
      continue
    }
    try {
      return await makePrivate(place)
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new EmbeddedPostgresError(`no place for the socket of PostgreSQL: ${failures.join('; ')}`)
}

/** Removes a directory that `makeSocketDirectory` made; leaves any other alone. */
export async function removeSocketDirectory(directory: string): Promise<void> {
  if (!basename(directory).startsWith(prefix)) return
  await rm(directory, { recursive: true, force: true })
}

function fits(place: string): boolean {
  const example = join(place, `${prefix}XXXXXX`, socketName)
  return Buffer.byteLength(example) <= longestPathBytes
}

async function makePrivate(place: string): Promise<string> {
  const directory = await mkdtemp(join(place, prefix))
  await chmod(directory, 0o700)
  return directory
}
