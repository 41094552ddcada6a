import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import type { Server } from 'node:net'
import { join } from 'node:path'
import type { SocketOwner } from '../../ports/egress.ts'

/** The kernel's limit on a socket's path (unix(7)) with its final zero byte. */
const mostPathBytes = 107

/**
 * Makes `server` listen on a socket in `directory` that only `owner`, or else our own user, can connect to, and returns its path. The
 * socket gets its name once its mode is set: before, it lies in a directory that is closed to everybody else. It replaces one that
 * a former process left.
 */
export async function listenOnSocket(
  server: Server,
  directory: string,
  owner?: SocketOwner,
): Promise<string> {
  const path = join(directory, 'egress.sock')
  if (Buffer.byteLength(join(directory, '.egress-XXXXXX/s')) > mostPathBytes)
    throw new Error(`the path of a socket is at most ${mostPathBytes} bytes long: ${path}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const closed = await mkdtemp(join(directory, '.egress-'))
  try {
    const draft = join(closed, 's')
    server.listen(draft)
    await once(server, 'listening')
    await chmod(draft, 0o600)
    if (owner !== undefined) await chown(draft, owner.uid, owner.gid)
    await rename(draft, path)
    return path
  } catch (error) {
    server.close()
    throw error
  } finally {
    await rm(closed, { recursive: true, force: true })
  }
}
