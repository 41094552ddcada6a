import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { EmbeddedPostgresError } from './errors.ts'

/** Name of the superuser of the embedded PostgreSQL and of its only database. */
export const embeddedName = 'countersign'

const prefix = 'countersign-'

const socketName = '.s.PGSQL.5432'

// sockaddr_un holds 108 bytes on Linux and 104 on macOS, including the final NUL.
const longestPathBytes = process.platform === 'linux' ? 107 : 103

/** Creates a private directory (0700) for the socket in `runtimeDir` if that is ours and short enough, otherwise in `/tmp`. */
export async function makeSocketDirectory(runtimeDir: string | undefined): Promise<string> {
  if (runtimeDir !== undefined && fits(runtimeDir) && (await isOurs(runtimeDir))) {
    try {
      return await makePrivate(runtimeDir)
    } catch {
      // A read-only or full directory: fall back to /tmp.
    }
  }
  try {
    return await makePrivate('/tmp')
  } catch (cause) {
    throw new EmbeddedPostgresError('no place in /tmp for the socket of PostgreSQL', { cause })
  }
}

/** Removes a directory created by `makeSocketDirectory`; leaves any other alone. */
export async function removeSocketDirectory(directory: string): Promise<void> {
  if (!basename(directory).startsWith(prefix)) return
  await rm(directory, { recursive: true, force: true })
}

function fits(place: string): boolean {
  const example = join(place, `${prefix}XXXXXX`, socketName)
  return Buffer.byteLength(example) <= longestPathBytes
}

/** True if we own the directory. One of another user, kept by sudo, could not be entered from a user namespace. */
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

/** Connection to the embedded PostgreSQL; `host` is the directory of its socket. */
export interface SocketConnection {
  readonly host: string
  readonly user: string
  readonly database: string
}

/**
 * Formats the connection as a URL that libpq, pg and `URL` accept. `URL` allows no user without a host, so both are
 * parameters.
 */
export function toUrl({ host, user, database }: SocketConnection): string {
  const part = encodeURIComponent
  return `postgresql:///${part(database)}?host=${part(host)}&user=${part(user)}`
}
