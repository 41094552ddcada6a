import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { EmbeddedPostgresError } from './errors.ts'

const prefix = 'countersign-'
const socketName = '.s.PGSQL.5432'
// sockaddr_un holds 108 bytes on Linux and 104 on macOS, the closing NUL included.
const longestPathBytes = process.platform === 'linux' ? 107 : 103

/** Makes a private directory (0700) for the socket: in `runtimeDir` when that is ours and its path short enough, else in `/tmp`. */
export async function makeSocketDirectory(runtimeDir: string | undefined): Promise<string> {
  if (runtimeDir !== undefined && fits(runtimeDir) && (await isOurs(runtimeDir))) {
    try {
      return await makePrivate(runtimeDir)
    } catch {
      // A read-only or full one: /tmp serves as well.
    }
  }
  try {
    return await makePrivate('/tmp')
  } catch (cause) {
    throw new EmbeddedPostgresError('no place in /tmp for the socket of PostgreSQL', { cause })
  }
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

/** One of another user, kept by sudo, could not be entered from a namespace. */
async function isOurs(directory: string): Promise<boolean> {
  return stat(directory).then(
    ({ uid }) => uid === process.geteuid?.(),
    () => false,
  )
}

async function makePrivate(place: string): Promise<string> {
  const directory = await mkdtemp(join(place, prefix))
  await chmod(directory, 0o700)
  return directory
}
