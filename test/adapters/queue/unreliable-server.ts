import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SocketConnection } from '../../../src/db/embedded/socket-directory.ts'

const socketName = '.s.PGSQL.5432'

/** A proxy socket for a real Postgres that can be cut: `gone` has no socket, `deaf` drops all connections. */
export interface UnreliableServer extends AsyncDisposable {
  readonly connection: SocketConnection
  /** Number of connection attempts. */
  readonly attempts: () => number
  become(state: 'well' | 'gone' | 'deaf'): Promise<void>
}

export async function createUnreliableServer(real: SocketConnection): Promise<UnreliableServer> {
  const folder = await mkdtemp(join(tmpdir(), 'unreliable-'))
  const sockets = new Set<Socket>()
  let state: 'well' | 'gone' | 'deaf' = 'well'
  let attempts = 0
  let server: Server | undefined

  function accept(client: Socket): void {
    attempts++
    if (state === 'deaf') {
      client.destroy()
      return
    }
    const upstream = connect(join(real.host, socketName))
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  }

  async function become(next: 'well' | 'gone' | 'deaf'): Promise<void> {
    state = next
    if (next !== 'well') for (const socket of sockets) socket.destroy()
    sockets.clear()
    if (next === 'gone') {
      server?.close()
      server = undefined
      return
    }
    if (server !== undefined) return
    const started = createServer(accept)
    server = started
    await new Promise<void>((resolve) => started.listen(join(folder, socketName), resolve))
  }

  await become('well')
  return {
    connection: { host: folder, user: real.user, database: real.database },
    attempts: () => attempts,
    become,
    [Symbol.asyncDispose]: async () => {
      await become('gone')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
