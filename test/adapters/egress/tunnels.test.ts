import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { extension, hello, serverName } from '../../support/egress/hello.ts'
import { createEgressPlace, type EgressPlace, other, site } from './egress-place.ts'

let place: EgressPlace
beforeEach(async () => {
  place = await createEgressPlace()
})
afterEach(() => place[Symbol.asyncDispose]())

/** Waits until nothing is left of a host's connections. */
const untilClosed = (sockets: ReadonlySet<unknown>) => expect.poll(() => sockets.size).toBe(0)

describe('a listed host', () => {
  test('MCP-04 is reached by TLS through CONNECT, end to end, and the event tells bytes and address', async () => {
    const host = await place.tlsHost((socket) => socket.pipe(socket))
    await place.open([`${site}:${host.port}`])
    const secure = await place.secure(`${site}:${host.port}`)
    secure.end('hello')
    expect(await text(secure)).toBe('hello')
    const [event] = await place.seen(1)
    expect(event).toMatchObject({
      ...{ host: site, port: host.port, address: '127.0.0.1', outcome: 'allowed' },
      ...{ bytesUp: expect.any(Number), bytesDown: expect.any(Number), ms: expect.any(Number) },
    })
    expect(event?.why).toBeUndefined()
    expect(event?.bytesUp).toBeGreaterThan(200)
    expect(event?.bytesDown).toBeGreaterThan(500)
  })

  test('MCP-04 is reached by one that speaks TLS before the answer to CONNECT, whatever case and final dot it writes', async () => {
    const host = await place.tlsHost((socket) => socket.end('hello'))
    await place.open([`${site}:${host.port}`])
    const client = await place.dial()
    const { port } = host
    client.write(`CONNECT ${site.toUpperCase()}.:${port} HTTP/1.1\r\nHost: ${site}\r\n\r\n`)
    client.write(hello({ extensions: [serverName(`${site.toUpperCase()}.`)] }))
    const [answer]: readonly unknown[] = await once(client, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    client.end()
    const [event] = await place.seen(1)
    // The host takes it for TLS and answers with an alert, since this hello cannot be carried on.
    expect(event).toMatchObject({ host: site, outcome: 'allowed' })
    expect(event?.bytesDown).toBeGreaterThan(0)
  })

  test('MCP-04 the ClientHello arrives whole though it came byte by byte', async () => {
    const received: Buffer[] = []
    const host = await place.host((socket) => socket.on('data', (chunk) => received.push(chunk)))
    await place.open([`${site}:${host.port}`])
    const { socket } = await place.connect(`${site}:${host.port}`)
    const bytes = hello({ extensions: [serverName(site)], split: [3, 60] })
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => Buffer.concat(received).length).toBe(bytes.length)
    expect(Buffer.concat(received)).toEqual(bytes)
  })

  test('MCP-04 megabytes pass both ways unchanged, past slow readers', async () => {
    const host = await place.tlsHost((socket) => socket.pipe(socket))
    await place.open([`${site}:${host.port}`])
    const secure = await place.secure(`${site}:${host.port}`)
    const sent = Buffer.alloc(8_000_000, 'abcdefg')
    secure.end(sent)
    const chunks: Buffer[] = []
    for await (const chunk of secure) {
      if (Buffer.isBuffer(chunk)) chunks.push(chunk)
      if (chunks.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(Buffer.concat(chunks).equals(sent)).toBe(true)
  })

  test('MCP-04 several connections pass side by side', async () => {
    const host = await place.tlsHost((socket) => socket.pipe(socket))
    await place.open([`${site}:${host.port}`, `${other}:${host.port}`])
    const said = await Promise.all(
      [site, other, site, other].map(async (name, number) => {
        const secure = await place.secure(`${name}:${host.port}`)
        secure.end(`${number}`)
        return text(secure)
      }),
    )
    expect(said).toEqual(['0', '1', '2', '3'])
  })
})

describe('the ClientHello', () => {
  test.each([
    ['another name', [serverName(other)], `asks for ${other}`],
    ['a name below', [serverName(`x.${site}`)], 'asks for'],
    ['a name that begins alike', [serverName(`${site}.evil.org`)], 'asks for'],
    ['no name', [extension(43, Buffer.from([2, 3, 4]))], 'names no server'],
    ['a hidden name', [serverName(site), extension(0xfe0d, Buffer.alloc(9))], 'ECH'],
    ['two names', [serverName(site, other)], 'damaged'],
  ])(
    'THREAT-36 MCP-04 with %s is answered with an alert, and nothing of it goes to the host',
    async (_what, extensions, why) => {
      let received = 0
      const host = await place.host((socket) =>
        socket.on('data', ({ length }) => (received += length)),
      )
      await place.open([`${site}:${host.port}`, `${other}:${host.port}`])
      const { socket } = await place.connect(`${site}:${host.port}`)
      socket.resume().write(hello({ extensions }))
      const [alert]: readonly unknown[] = await once(socket, 'data')
      expect(alert).toEqual(Buffer.from([21, 3, 1, 0, 2, 2, 49]))
      const [event] = await place.seen(1)
      expect(event).toMatchObject({
        host: site,
        outcome: 'refused',
        why: expect.stringContaining(why),
      })
      await untilClosed(host.sockets)
      expect([received, event?.bytesUp]).toEqual([0, 0])
    },
  )

  test('THREAT-36 a real client that asks for another name than it named to the proxy is told so by its own TLS', async () => {
    const host = await place.tlsHost((socket) => socket.end('reached'))
    await place.open([`${site}:${host.port}`, `${other}:${host.port}`])
    const { socket } = await place.connect(`${site}:${host.port}`)
    const secure = connectTls({ socket, servername: other, ca: place.certificates.ca })
    const [error]: readonly unknown[] = await once(secure, 'error')
    expect(String(error)).toMatch(/access denied/)
  })

  test.each([
    ['HTTP', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['SMTP', 'EHLO x\r\n'],
  ])('THREAT-36 bytes of %s in a tunnel are refused in words', async (_what, bytes) => {
    const host = await place.host((upstream) => upstream.resume())
    await place.open([`${site}:${host.port}`])
    const { socket } = await place.connect(`${site}:${host.port}`)
    socket.write(bytes)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*not TLS[\s\S]*http:\/\/\.\n$/)
    expect(await place.seen(1)).toMatchObject([{ outcome: 'refused', bytesUp: 0 }])
    await untilClosed(host.sockets)
  })

  test('THREAT-36 one that does not come in time ends the connection', async () => {
    const host = await place.host((upstream) => upstream.resume())
    await place.open([`${site}:${host.port}`], { limits: { helloMs: 100 } })
    const { socket } = await place.connect(`${site}:${host.port}`)
    socket.write(hello({ extensions: [serverName(site)] }).subarray(0, 20))
    expect(await place.seen(1)).toMatchObject([
      { outcome: 'refused', why: 'no ClientHello came in time' },
    ])
    await untilClosed(host.sockets)
  })

  test('THREAT-36 a listed address is reached without a server name, and with none else', async () => {
    const host = await place.host((socket) => socket.end('reached'))
    await place.open([`127.0.0.1:${host.port}`])
    const { socket } = await place.connect(`127.0.0.1:${host.port}`)
    socket.resume().write(hello({ extensions: [] }))
    expect(await text(socket)).toBe('reached')
    const second = await place.connect(`127.0.0.1:${host.port}`)
    second.socket.resume().write(hello({ extensions: [serverName(site)] }))
    expect(await text(second.socket)).not.toContain('reached')
    expect(place.names.asked).toEqual([])
  })
})

describe('ends and breaks', () => {
  const begin = async (
    serve: Parameters<EgressPlace['host']>[0],
    limits = {},
    halfOpen = { allowHalfOpen: false },
  ) => {
    const host = await place.host(serve, halfOpen)
    await place.open([`${site}:${host.port}`], { limits })
    const { socket } = await place.connect(`${site}:${host.port}`, halfOpen)
    socket.write(hello({ extensions: [serverName(site)] }))
    await expect.poll(() => host.sockets.size).toBe(1)
    return { host, socket }
  }

  test('MCP-04 a program that has ended its side still gets the rest of the answer', async () => {
    const { socket } = await begin(
      (upstream) => {
        upstream.resume().on('end', () => upstream.end('the rest'))
      },
      {},
      { allowHalfOpen: true },
    )
    socket.end()
    expect(await text(socket)).toBe('the rest')
    expect(await place.seen(1)).toMatchObject([{ outcome: 'allowed', bytesDown: 8 }])
  })

  test('THREAT-36 what stays half open is ended', async () => {
    const { host, socket } = await begin(
      (upstream) => upstream.resume().end('answer'),
      { halfOpenMs: 100 },
      { allowHalfOpen: true },
    )
    expect(await text(socket)).toBe('answer')
    await untilClosed(host.sockets)
    expect(await place.seen(1)).toMatchObject([
      { outcome: 'allowed', why: expect.stringContaining('100 ms') },
    ])
  })

  test('THREAT-36 what is silent for too long is ended, and what trickles is not', async () => {
    const { host, socket } = await begin(
      (upstream) => {
        upstream.resume()
        let left = 6
        const timer = setInterval(() => {
          upstream.write('x')
          left -= 1
          if (left === 0) clearInterval(timer)
        }, 100)
      },
      { idleMs: 500 },
    )
    const since = performance.now()
    let said = ''
    socket.resume().on('data', (chunk) => (said += String(chunk)))
    await once(socket, 'close')
    expect(said).toBe('xxxxxx')
    expect(performance.now() - since).toBeGreaterThan(900)
    await untilClosed(host.sockets)
  })

  test('THREAT-36 an endless body ends at the limit of bytes', async () => {
    const { host, socket } = await begin(
      (upstream) => {
        const more = () => {
          while (!upstream.destroyed && upstream.write(Buffer.alloc(10_000)));
        }
        upstream.on('drain', more)
        more()
      },
      { bytes: 1_000_000 },
    )
    socket.resume()
    await once(socket, 'close')
    await untilClosed(host.sockets)
    const [event] = await place.seen(1)
    expect(event).toMatchObject({ outcome: 'allowed', why: 'more than 1000000 bytes were sent' })
    expect(event?.bytesDown).toBeLessThan(2_000_000)
  })

  test('MCP-04 a program that is killed in the middle leaves no connection to the host', async () => {
    const { host, socket } = await begin((upstream) => upstream.resume().write('begin'))
    await once(socket.resume(), 'data')
    socket.destroy()
    await untilClosed(host.sockets)
    expect(await place.seen(1)).toMatchObject([{ outcome: 'allowed', bytesDown: 5 }])
  })

  test('MCP-04 a host that is killed in the middle ends the program’s connection', async () => {
    const { host, socket } = await begin((upstream) => upstream.resume().write('begin'))
    await once(socket.resume(), 'data')
    for (const upstream of host.sockets) upstream.resetAndDestroy()
    await once(socket, 'close')
    expect(await place.seen(1)).toMatchObject([{ outcome: 'allowed', why: 'the host broke off' }])
  })

  test('MCP-04 a host that leaves before the ClientHello ends the program’s connection once that comes', async () => {
    const host = await place.host(() => undefined)
    await place.open([`${site}:${host.port}`])
    const { socket } = await place.connect(`${site}:${host.port}`)
    for (const upstream of host.sockets) upstream.resetAndDestroy()
    await untilClosed(host.sockets)
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.resume().write(hello({ extensions: [serverName(site)] }))
    await once(socket, 'close')
    expect(await place.seen(1)).toMatchObject([{ host: site, why: 'the host broke off' }])
  })

  test('MCP-04 a program that leaves before its ClientHello is told of as refused, and the host is left', async () => {
    const host = await place.host((upstream) => upstream.resume())
    await place.open([`${site}:${host.port}`])
    const { socket } = await place.connect(`${site}:${host.port}`)
    socket.end()
    expect(await place.seen(1)).toMatchObject([{ outcome: 'refused', bytesUp: 0 }])
    await untilClosed(host.sockets)
  })

  test('MCP-04 disposing ends all connections, and removes the socket', async () => {
    const { host, socket } = await begin((upstream) => upstream.resume().write('begin'))
    await once(socket.resume(), 'data')
    const closed = once(socket, 'close')
    const { socket: path } = place
    await place.close()
    await closed
    await untilClosed(host.sockets)
    await expect(stat(path)).rejects.toThrow('ENOENT')
    await expect(place.dial()).rejects.toThrow('ENOENT')
    expect(place.events).toMatchObject([{ outcome: 'allowed' }])
  })
})
