import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendPage } from './answers.ts'
import { answerCall } from './call-server.ts'
import type { SocketMode } from './delivery/socket-mode.ts'
import { giveFile, takeUpload } from './files/file-server.ts'
import type { Fault, IncomingCall } from './limits/faults.ts'
import type { RateGuard } from './limits/rate-limits.ts'
import type { OpenCall } from './request-log.ts'
import { takeResponse } from './respond/respond-server.ts'
import type { World } from './world.ts'

export interface ServerParts {
  readonly world: World
  readonly sockets: SocketMode
  readonly guard: RateGuard
  readonly log: OpenCall[]
  faultFor(call: IncomingCall): Fault | undefined
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(
  parts: ServerParts,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.on('upgrade', (request, stream, head) => parts.sockets.upgrade(request, stream, head))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function handle(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { world } = parts
  const url = new URL(request.url ?? '/', 'http://localhost')
  const { pathname } = url
  if (pathname.startsWith('/api/')) await answerCall(parts, request, response, url)
  else if (pathname.startsWith('/upload/v1/')) await takeUpload(world, request, response, pathname)
  else if (pathname.startsWith('/files-pri/')) giveFile(world, request, response, pathname)
  else if (/^\/(actions|commands)\//.test(pathname)) {
    await takeResponse(world, request, response, pathname)
  } else sendPage(response, 404)
}
