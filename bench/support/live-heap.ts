import { once } from 'node:events'
import { z } from 'zod'

const answer = z.looseObject({ id: z.number().optional(), result: z.unknown() })
const usage = z.looseObject({ usedSize: z.number() })

/** What a process needs in its environment so that its heap can be looked at. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/**
 * The heap of a process in MB once its garbage is collected, which says what its resident memory does not: V8 leaves
 * garbage lying for as long as there is room. `stderr` is what the process has said so far.
 */
export async function liveHeapMb(stderr: string): Promise<number> {
  const [url] = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/u.exec(stderr) ?? []
  if (url === undefined) throw new Error('the process cannot be inspected')
  const socket = new WebSocket(url)
  await once(socket, 'open')
  try {
    await ask(socket, 1, 'HeapProfiler.collectGarbage')
    const { usedSize } = usage.parse(await ask(socket, 2, 'Runtime.getHeapUsage'))
    return usedSize / 1_048_576
  } finally {
    socket.close()
  }
}

async function ask(socket: WebSocket, id: number, method: string): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const listen = ({ data }: MessageEvent): void => {
    const said = answer.parse(JSON.parse(String(data)))
    if (said.id === id) resolve(said.result)
  }
  socket.addEventListener('message', listen)
  socket.send(JSON.stringify({ id, method }))
  const result = await promise
  socket.removeEventListener('message', listen)
  return result
}
