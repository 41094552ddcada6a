import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'
import { createHttpServer } from '../../../src/adapters/http/create-http-server.ts'
import { silentLog } from '../../../src/util/log.ts'

const most = 50

async function serve() {
  const hanging = Promise.withResolvers<void>()
  const routes = new Hono()
    .get('/', (context) => context.text('well'))
    .get('/hangs', async (context) => {
      await hanging.promise
      return context.text('late')
    })
  const server = await createHttpServer({ listen: '127.0.0.1:0', routes: [routes], log: silentLog })
  return { port: server.port, hanging, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** A connection over which `text` comes and nothing else. */
async function open(port: number, text: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

const stillOpen = (sockets: readonly Socket[]) => sockets.filter((one) => !one.closed).length

test.each([
  ['says nothing', ''],
  ['never ends its head', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['never ends its body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1'],
])('REL-03 one address that %s keeps few connections, and nobody else out', async (_what, text) => {
  await using server = await serve()
  const sockets: Socket[] = []
  for (let index = 0; index < most + 30; index += 1) sockets.push(await open(server.port, text))
  await vi.waitFor(() => expect(stillOpen(sockets)).toBe(most))
  const other = await open(server.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', '127.0.0.2')
  const [answer] = await once(other, 'data')
  expect(String(answer)).toContain('200 OK')
  for (const socket of [...sockets, other]) socket.destroy()
})

test('REL-03 requests that wait for their answer are no half-open connections', async () => {
  await using server = await serve()
  const answers = Array.from({ length: most + 20 }, async () =>
    (await fetch(`http://127.0.0.1:${server.port}/hangs`)).text(),
  )
  expect(await (await fetch(`http://127.0.0.1:${server.port}/`)).text()).toBe('well')
  server.hanging.resolve()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['late']))
})
