import { once } from 'node:events'
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEgressProxy } from '../../../src/adapters/egress/open-egress-proxy.ts'
import { createEgressPlace, type EgressPlace, other, readAnswer, site } from './egress-place.ts'

let place: EgressPlace
beforeEach(async () => {
  place = await createEgressPlace()
})
afterEach(() => place[Symbol.asyncDispose]())

describe('hosts that are refused', () => {
  test.each([
    ['a host that is not listed', 'evil.example:443', 'not in the list'],
    ['another port of a listed one', `${site}:444`, 'not in the list'],
    ['an address', '93.184.216.34:443', 'addresses are not connected to'],
    ['an address as a number', '2130706433:443', 'another spelling of 127.0.0.1'],
    ['an address in octal', '0177.0.0.1:443', 'another spelling of 127.0.0.1'],
    ['an address in hexadecimal', '0x7f.1:443', 'another spelling of 127.0.0.1'],
    ['an IPv6 address', '[::1]:443', 'addresses are not connected to'],
    ['an IPv4 address in an IPv6 one', '[::ffff:127.0.0.1]:443', 'addresses are not connected to'],
    ['a private name', 'metadata.google.internal:443', 'private name'],
    ['no host', 'evil.example', 'not a host with a port'],
  ])(
    'THREAT-36 MCP-04 %s is answered with 403 in words, without any look-up',
    async (_what, authority, why) => {
      await place.open([site])
      const { status, text: said } = await place.connect(authority)
      expect([status, said]).toEqual([403, expect.stringMatching(/^Refused by Countersign: /)])
      expect(said).toContain(why)
      expect(await place.seen(1)).toMatchObject([
        { outcome: 'refused', why: expect.stringContaining(why) },
      ])
      expect(place.names.asked).toEqual([])
    },
  )

  test('MCP-04 the answer says what can be done', async () => {
    await place.open([site])
    expect((await place.connect('api.evil.example:443')).text).toContain(
      'An operator can list api.evil.example.',
    )
    expect((await place.connect('api.evil.example:8443')).text).toContain(
      'An operator can list api.evil.example:8443.',
    )
  })

  test.each([
    ['loopback', { a: ['127.0.0.2'] }],
    ['link-local, where clouds tell secrets', { a: ['169.254.169.254'] }],
    ['a private one among good ones', { a: ['93.184.216.34', '10.0.0.1'] }],
    ['one of a cloud’s own', { a: ['168.63.129.16'] }],
    ['an IPv4 address in an IPv6 one', { aaaa: ['::ffff:7f00:1'] }],
    ['NAT64', { aaaa: ['64:ff9b::a00:1'] }],
    ['6to4', { aaaa: ['2002:a00:1::'] }],
    ['ISATAP', { aaaa: ['2600::5efe:a00:1'] }],
    ['unique local', { a: ['127.0.0.1'], aaaa: ['fd00::1'] }],
    ['CGNAT', { a: ['100.64.0.1'] }],
  ])('THREAT-36 MCP-04 a listed name with the address of %s is refused', async (_what, answers) => {
    place.names.names.set('bad.example', () => answers)
    await place.open(['bad.example'])
    const { status, text: said } = await place.connect('bad.example:443')
    expect([status, said]).toEqual([403, expect.stringContaining('is not a public address')])
  })

  test('THREAT-36 a name that changes its address is connected to where it was checked: one look-up a connection', async () => {
    const host = await place.tlsHost((socket) => socket.end('reached'))
    let asked = 0
    place.names.names.set(site, () => {
      asked += 1
      // Two queries a look-up: one for each kind of address.
      return asked <= 2 ? { a: ['127.0.0.1'] } : { a: ['10.0.0.1'] }
    })
    await place.open([`${site}:${host.port}`])
    expect(await text(await place.secure(`${site}:${host.port}`))).toBe('reached')
    expect(place.names.asked).toEqual([site])
    expect(await place.connect(`${site}:${host.port}`)).toMatchObject({ status: 403 })
  })

  test('MCP-04 a host that is not there is told as 502, and one that is silent as 504', async () => {
    place.names.names.set('silent.example', () => 'silent')
    await place.open(['gone.example', 'silent.example', `${site}:9`], {
      limits: { connectMs: 300 },
    })
    expect(await place.connect('gone.example:443')).toMatchObject({
      status: 502,
      text: expect.stringContaining('has no address (DNS)'),
    })
    expect(await place.connect('silent.example:443')).toMatchObject({
      status: 504,
      text: expect.stringContaining('did not answer in time'),
    })
    expect(await place.connect(`${site}:9`)).toMatchObject({
      status: 502,
      text: expect.stringContaining('could not be connected to'),
    })
  })

  test('MCP-04 events tell of a host as it was written only as far as a log can show it', async () => {
    await place.open([site])
    const client = await place.dial()
    client.write(`CONNECT ${'a'.repeat(3_000)}\u00e4\u00e4:443 HTTP/1.1\r\nHost: x\r\n\r\n`)
    await readAnswer(client).catch(() => undefined)
    const [event] = await place.seen(1)
    expect(event?.host).toMatch(/^[\x21-\x7e]{0,255}$/)
  })
})

describe('questions', () => {
  test('MCP-04 a host that is not listed is asked about, and the connection goes on with the answer', async () => {
    const host = await place.tlsHost((socket) => socket.end('reached'))
    const asked: unknown[] = []
    const answer = Promise.withResolvers<'allow' | 'deny'>()
    await place.open([], {
      ask: (...host) => {
        asked.push(host)
        return answer.promise
      },
    })
    const both = [site, site].map((name) => place.secure(`${name}:${host.port}`))
    await expect.poll(() => asked).toEqual([[site, host.port]])
    expect(place.names.asked).toEqual([])
    answer.resolve('allow')
    for (const secure of both) expect(await text(await secure)).toBe('reached')
    expect(asked).toHaveLength(1)
  })

  test('MCP-04 an answer holds for those that waited, and the next connection asks anew', async () => {
    const answers = (['deny', 'allow', 'deny'] as const).values()
    await place.open([], { ask: async () => answers.next().value ?? 'deny' })
    const host = await place.tlsHost((socket) => socket.end())
    expect(await place.connect(`${site}:${host.port}`)).toMatchObject({
      status: 403,
      text: expect.stringContaining('denied'),
    })
    expect(await place.connect(`${site}:${host.port}`)).toMatchObject({ status: 200 })
    expect(await place.connect(`${site}:${host.port}`)).toMatchObject({ status: 403 })
  })

  test('MCP-04 THREAT-36 what a person allows is checked as what is listed: addresses of the name, and TLS', async () => {
    place.names.names.set('bad.example', () => ({ a: ['10.0.0.1'] }))
    await place.open([], { ask: async () => 'allow' })
    expect(await place.connect('bad.example:443')).toMatchObject({
      status: 403,
      text: expect.stringContaining('public'),
    })
    const host = await place.host((upstream) => upstream.resume())
    const { socket } = await place.connect(`${site}:${host.port}`)
    socket.write('GET / HTTP/1.1\r\n\r\n')
    expect(await text(socket)).toContain('not TLS')
  })

  test('MCP-04 nobody is asked about addresses and private names', async () => {
    const asked: string[] = []
    await place.open([], {
      ask: async (host) => {
        asked.push(host)
        return 'allow'
      },
    })
    for (const authority of ['8.8.8.8:443', '[2606:4700::1111]:443', 'localhost:443', 'db:443'])
      expect(await place.connect(authority)).toMatchObject({ status: 403 })
    expect(asked).toEqual([])
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('lost'))],
    [
      'throws',
      () => {
        throw new Error('lost')
      },
    ],
  ])('MCP-04 a question that %s is a denial', async (_what, ask) => {
    await place.open([], { ask })
    expect(await place.connect('new.example:443')).toMatchObject({
      status: 403,
      text: expect.stringContaining('denied'),
    })
  })

  test('MCP-04 who waits too long is told to try later, and joins the question then', async () => {
    const host = await place.tlsHost((socket) => socket.end('reached'))
    const answer = Promise.withResolvers<'allow' | 'deny'>()
    let asked = 0
    await place.open([], {
      limits: { askMs: 200 },
      ask: () => {
        asked += 1
        return answer.promise
      },
    })
    const authority = `${site}:${host.port}`
    expect(await place.connect(authority)).toMatchObject({
      status: 403,
      text: expect.stringMatching(/A person is being asked: try again later\.\n$/),
    })
    const later = place.secure(authority)
    setTimeout(() => answer.resolve('allow'), 50)
    expect(await text(await later)).toBe('reached')
    expect(asked).toBe(1)
  })

  test('MCP-04 a program that gives up waiting leaves no connection', async () => {
    const answer = Promise.withResolvers<'allow' | 'deny'>()
    await place.open([], { ask: () => answer.promise })
    const client = await place.dial()
    client.end(`CONNECT ${site}:443 HTTP/1.1\r\nHost: ${site}\r\n\r\n`)
    expect(await place.seen(1)).toMatchObject([
      { host: site, outcome: 'refused', why: expect.stringContaining('first') },
    ])
    expect(place.names.asked).toEqual([])
  })

  test('THREAT-40 MCP-04 few questions wait at once, and few are asked in an hour', async () => {
    const asked: string[] = []
    const open = Promise.withResolvers<'allow' | 'deny'>()
    await place.open([], {
      limits: { pendingAsks: 2, asksPerHour: 3, askMs: 200 },
      ask: (host) => {
        asked.push(host)
        return host === 'quick.example' ? Promise.resolve('deny') : open.promise
      },
    })
    await place.connect('quick.example:443')
    const texts = await Promise.all(
      ['a.example', 'b.example', 'c.example'].map(
        async (host) => (await place.connect(`${host}:443`)).text,
      ),
    )
    expect(texts.filter((said) => said.includes('too many other hosts'))).toHaveLength(1)
    open.resolve('deny')
    expect((await place.connect('d.example:443')).text).toContain('too many other hosts')
    expect(asked).toEqual(['quick.example', 'a.example', 'b.example'])
  })
})

describe('requests without TLS', () => {
  const say = async (request: string) => {
    const client = await place.dial()
    client.write(request)
    return text(client)
  }

  test('MCP-04 are passed on for a host that is listed with http, without what belongs to one connection', async () => {
    const host = await place.httpHost(async (request, response) => {
      const body = await text(request)
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.setHeader('keep-alive', 'timeout=9')
      response.end(JSON.stringify([request.method, request.url, request.headers, body]))
    })
    await place.open([`http://${site}:${host.port}`])
    const head = [
      `POST http://${site}:${host.port}/a%2Fb?c=d HTTP/1.1`,
      `Host: ${site}:${host.port}`,
      ...['Content-Length: 4', 'Proxy-Authorization: secret', 'Proxy-Connection: keep-alive'],
      ...[
        'Connection: close, X-Own',
        'X-Own: 1',
        'X-Kept: 2',
        'Upgrade: websocket',
        'TE: trailers',
      ],
    ]
    const answer = await say(`${head.join('\r\n')}\r\n\r\nbody`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/set-cookie: a=1\r\nset-cookie: b=2\r\n/)
    expect(answer).not.toContain('timeout=9')
    const [method, path, headers, body] = JSON.parse(/\[.*\]/s.exec(answer)?.[0] ?? '')
    expect([method, path, body]).toEqual(['POST', '/a%2Fb?c=d', 'body'])
    expect(headers).toEqual({
      host: `${site}:${host.port}`,
      'content-length': '4',
      'x-kept': '2',
      connection: 'close',
    })
    expect(await place.seen(1)).toMatchObject([
      { host: site, port: host.port, outcome: 'allowed', address: '127.0.0.1' },
    ])
  })

  test('MCP-04 several pass over one connection, each judged by itself, chunked bodies as well', async () => {
    const host = await place.httpHost(async (request, response) => {
      response.end(`${request.url}:${await text(request)};`)
    })
    await place.open([`http://${site}:${host.port}`])
    const at = (name: string) => `http://${name}:${host.port}`
    const answer = await say(
      [
        `PUT ${at(site)}/1 HTTP/1.1\r\nHost: ${site}:${host.port}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
        `GET ${at(other)}/2 HTTP/1.1\r\nHost: ${other}:${host.port}\r\n\r\n`,
      ].join(''),
    )
    expect(answer).toContain('/1:abc;')
    expect(answer).toMatch(/HTTP\/1\.1 403 [\s\S]*reached without TLS/)
    const events = await place.seen(2)
    expect(events.find(({ host }) => host === site)).toMatchObject({ outcome: 'allowed' })
    expect(events.find(({ host }) => host === other)).toMatchObject({ outcome: 'refused' })
  })

  test.each([
    [
      'a host that is listed for TLS alone',
      `GET http://${other}:81/ HTTP/1.1\r\nHost: ${other}:81\r\n\r\n`,
      403,
      'without TLS',
    ],
    [
      'a Host header of another',
      `GET http://${site}/ HTTP/1.1\r\nHost: ${other}\r\n\r\n`,
      400,
      'another host',
    ],
    [
      'two Host headers',
      `GET http://${site}/ HTTP/1.1\r\nHost: ${site}\r\nHost: ${other}\r\n\r\n`,
      400,
      'several Host',
    ],
    [
      'an https URL',
      `GET https://${site}/ HTTP/1.1\r\nHost: ${site}\r\n\r\n`,
      400,
      'Use CONNECT for TLS',
    ],
    [
      'a request to a server',
      `GET / HTTP/1.1\r\nHost: ${site}\r\n\r\n`,
      400,
      'no request to a proxy',
    ],
    [
      'a user name',
      `GET http://${site}@${other}/ HTTP/1.1\r\nHost: ${site}\r\n\r\n`,
      400,
      'no request to a proxy',
    ],
    ['an address', 'GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 403, 'addresses'],
    [
      'an address as a number',
      'GET http://2130706433/ HTTP/1.1\r\nHost: 2130706433\r\n\r\n',
      403,
      'spelling',
    ],
    ['what is not HTTP', 'EHLO mail\r\n\r\n', 400, 'not HTTP/1.1'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'not HTTP/1.1'],
    [
      'two lengths',
      `POST http://${site}/ HTTP/1.1\r\nHost: ${site}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
      'not HTTP/1.1',
    ],
  ])('THREAT-36 MCP-04 %s is refused in plain text', async (_what, request, status, why) => {
    await place.open([`http://${site}`, `${other}:81`])
    const answer = await say(request)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*content-type: text/plain`, 'i'))
    expect(answer).toContain(why)
    expect(await place.seen(1)).toMatchObject([{ outcome: 'refused' }])
  })

  test('MCP-04 pass in a tunnel as well, as Node’s fetch sends them, for that host alone', async () => {
    const host = await place.httpHost((request, response) => {
      response.end(`${request.headers.host} ${request.url};`)
    })
    await place.open([`http://${site}:${host.port}`, `http://${other}:${host.port}`])
    const authority = `${site}:${host.port}`
    const ask = async (lines: string) => {
      const { socket, status } = await place.connect(authority)
      expect(status).toBe(200)
      socket.write(lines)
      return text(socket)
    }
    const get = (path: string, to: string, more = '') =>
      `GET ${path} HTTP/1.1\r\nHost: ${to}\r\n${more}\r\n`
    const close = 'Connection: close\r\n'
    const both = await ask(get('/1', authority) + get('/2', authority, close))
    expect(both).toContain(`${authority} /1;`)
    expect(both).toContain(`${authority} /2;`)
    expect(await ask(get('/', `${other}:${host.port}`, close))).toMatch(/ 400 [\s\S]*another host/)
    expect(await ask(get(`http://${other}:${host.port}/`, `${other}:${host.port}`, close))).toMatch(
      / 400 /,
    )
    expect(await ask(`CONNECT ${other}:443 HTTP/1.1\r\nHost: ${other}\r\n\r\n`)).toMatch(
      / 400 [\s\S]*tunnel in a tunnel/,
    )
  })

  test('MCP-04 a host that breaks off is told as 502, or by the end of what had begun', async () => {
    const host = await place.httpHost((request, response) => {
      if (request.url === '/begun') response.write('begun')
      setTimeout(() => request.socket.resetAndDestroy(), 50)
    })
    await place.open([`http://${site}:${host.port}`])
    const get = (path: string) =>
      say(`GET http://${site}:${host.port}${path} HTTP/1.1\r\nHost: ${site}:${host.port}\r\n\r\n`)
    expect(await get('/')).toMatch(/^HTTP\/1\.1 502 [\s\S]*closed the connection/)
    const begun = await get('/begun')
    expect(begun).toMatch(/^HTTP\/1\.1 200 [\s\S]*begun/)
    // The last chunk, which would say that this was all.
    expect(begun).not.toMatch(/0\r\n\r\n$/)
    expect(await place.seen(2)).toMatchObject([
      { why: expect.any(String) },
      { why: expect.any(String) },
    ])
  })

  test('THREAT-36 endless and silent bodies end', async () => {
    const host = await place.httpHost((request, response) => {
      response.write('begun')
      if (request.url !== '/endless') return
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(10_000)));
      }
      response.on('drain', more)
      more()
    })
    await place.open([`http://${site}:${host.port}`], { limits: { bytes: 500_000, idleMs: 300 } })
    const get = (path: string) =>
      say(`GET http://${site}:${host.port}${path} HTTP/1.1\r\nHost: ${site}:${host.port}\r\n\r\n`)
    expect((await get('/endless')).length).toBeLessThan(1_000_000)
    await get('/silent')
    expect(await place.seen(2)).toMatchObject([
      { why: 'more than 500000 bytes were sent' },
      { why: 'nothing was sent for 300 ms' },
    ])
    await expect.poll(() => host.sockets.size).toBe(0)
  })
})

describe('limits and the socket', () => {
  test('THREAT-36 an endless body of the program without TLS ends as well', async () => {
    const host = await place.httpHost((request) => request.resume())
    await place.open([`http://${site}:${host.port}`], { limits: { bytes: 500_000 } })
    const client = await place.dial()
    client
      .resume()
      .write(
        `PUT http://${site}:${host.port}/ HTTP/1.1\r\nHost: ${site}:${host.port}\r\nContent-Length: 9000000\r\n\r\n`,
      )
    client.write(Buffer.alloc(2_000_000))
    const [event] = await place.seen(1)
    expect(event).toMatchObject({ host: site, why: 'more than 500000 bytes were sent' })
    await expect.poll(() => host.sockets.size).toBe(0)
  })

  test('THREAT-36 a head that is too long or too slow is refused', async () => {
    await place.open([site], { limits: { headerBytes: 1_000, headerMs: 200 } })
    const long = await place.dial()
    long.write(`CONNECT ${site}:443 HTTP/1.1\r\nX: ${'x'.repeat(2_000)}`)
    expect(await text(long)).toMatch(/^HTTP\/1\.1 431 [\s\S]*1000 bytes/)
    const slow = await place.dial()
    slow.write(`CONNECT ${site}:443 HTTP/1.1\r\n`)
    const timer = setInterval(() => slow.write('X: y\r\n'), 50)
    expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 [\s\S]*200 ms/)
    clearInterval(timer)
    const silent = await place.dial()
    expect(await text(silent)).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('THREAT-36 one connection too many is told so, and there is room again once one has ended', async () => {
    const host = await place.host((upstream) => upstream.resume())
    await place.open([`${site}:${host.port}`], { limits: { connections: 2 } })
    const first = await place.connect(`${site}:${host.port}`)
    const second = await place.dial()
    expect(await place.connect(`${site}:${host.port}`)).toMatchObject({
      status: 503,
      text: expect.stringContaining('Close some'),
    })
    second.destroy()
    first.socket.destroy()
    await expect.poll(async () => (await place.connect(`${site}:${host.port}`)).status).toBe(200)
  })

  test('MCP-04 the socket belongs to its owner alone, and replaces one that was left', async () => {
    const directory = join(place.dir, 'proxy')
    await mkdir(directory, { mode: 0o755 })
    await chmod(directory, 0o755)
    await writeFile(join(directory, 'egress.sock'), 'left')
    const owner = process.getuid?.() === 0 ? { uid: 54_321, gid: 54_322 } : undefined
    await place.open([site], { directory, ...(owner && { owner }) })
    const { mode, uid } = await stat(place.socket)
    expect(mode & 0o777).toBe(0o600)
    expect(uid).toBe(owner?.uid ?? process.getuid?.())
    expect(await place.connect('evil.example:443')).toMatchObject({ status: 403 })
  })

  test('MCP-04 wrong options are refused before anything listens', async () => {
    const open = (hosts: readonly string[], limits = {}, directory = join(place.dir, 'x')) =>
      openEgressProxy({ directory, hosts, limits, observe: () => undefined })
    await expect(open(['https://example.com/path'])).rejects.toThrow('written as')
    await expect(open(['localhost'])).rejects.toThrow('private name')
    await expect(open([], { idleMs: 0 })).rejects.toThrow('idleMs')
    await expect(open([], { idle: 1 })).rejects.toThrow('idle')
    await expect(open([], {}, join(place.dir, 'x'.repeat(120)))).rejects.toThrow('107 bytes')
    await expect(stat(join(place.dir, 'x'))).rejects.toThrow('ENOENT')
  })

  test('THREAT-36 any bytes are answered by a refusal or the end, and reach no host', async () => {
    const host = await place.tlsHost(() => undefined)
    await place.open([`${site}:${host.port}`], { limits: { headerMs: 50, helloMs: 50 } })
    const begins = fc.constantFrom(
      ...[
        '',
        `CONNECT ${site}:${host.port} HTTP/1.1\r\n\r\n`,
        'CONNECT ',
        `GET http://${site}/ HTTP/1.1\r\n`,
      ],
    )
    await fc.assert(
      fc.asyncProperty(
        begins,
        fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 4 }),
        async (begin, chunks) => {
          const client = await place.dial()
          client.write(begin)
          for (const chunk of chunks) client.write(chunk)
          const answer = await text(client)
          expect(answer).toMatch(/^$|^HTTP\/1\.1 (?:200|4\d\d) /)
        },
      ),
      { numRuns: 60 },
    )
    expect(
      place.events.filter(({ outcome, bytesUp }) => outcome === 'allowed' || bytesUp > 0),
    ).toEqual([])
  })

  test('MCP-04 disposing ends what waits for an answer', async () => {
    await place.open([], { ask: () => new Promise(() => undefined) })
    const client = await place.dial()
    client.write(`CONNECT ${site}:443 HTTP/1.1\r\nHost: ${site}\r\n\r\n`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const closed = once(client.resume(), 'close')
    await place.close()
    await closed
    expect(place.events).toMatchObject([{ outcome: 'refused' }])
  })
})
