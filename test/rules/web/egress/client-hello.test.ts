import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { type ConnectionOptions, connect } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostHelloBytes, readClientHello } from '../../../../src/rules/web/egress/client-hello.ts'
import {
  extension,
  type HelloParts,
  hello,
  record,
  serverName,
} from '../../../support/egress/hello.ts'

const name = 'api.example.com'
const plain: HelloParts = { extensions: [extension(43, Buffer.from([2, 3, 4])), serverName(name)] }

/** The first bytes of Node's own TLS client. */
async function realHello(options: ConnectionOptions): Promise<Buffer> {
  const [ours, theirs] = duplexPair()
  const socket = connect({ socket: ours, rejectUnauthorized: false, ...options })
  socket.on('error', () => undefined)
  const [bytes]: readonly unknown[] = await once(theirs, 'data')
  socket.destroy()
  if (!Buffer.isBuffer(bytes)) throw new Error('no bytes')
  return bytes
}

describe('a whole ClientHello', () => {
  test.each([
    ['TLS 1.3 and 1.2', {}],
    ['TLS 1.3 alone', { minVersion: 'TLSv1.3' }],
    ['TLS 1.2 alone', { maxVersion: 'TLSv1.2' }],
    ['other protocols inside', { ALPNProtocols: ['h2', 'http/1.1'] }],
  ] as const)(
    'MCP-04 THREAT-36 tells the server name of a real client: %s',
    async (_what, options) => {
      const bytes = await realHello({ servername: name, ...options })
      expect(readClientHello(bytes)).toEqual({ kind: 'hello', serverName: name })
      expect(readClientHello(await realHello(options))).toEqual({
        kind: 'hello',
        serverName: undefined,
      })
    },
  )

  test('MCP-04 one that has no extensions names no server', () => {
    const body = Buffer.concat([
      Buffer.from([3, 3]),
      Buffer.alloc(32),
      Buffer.from([0, 0, 2, 0, 5, 1, 0]),
    ])
    const message = Buffer.concat([Buffer.from([1, 0, 0, body.length]), body])
    expect(readClientHello(record(message))).toEqual({ kind: 'hello', serverName: undefined })
  })

  test('THREAT-36 the name is put together from records as a server does, however it is split', () => {
    const { length } = hello(plain)
    for (let at = 1; at < length; at += 1) {
      const split = hello({ ...plain, split: [at, 1] })
      expect(readClientHello(split)).toEqual({ kind: 'hello', serverName: name })
    }
  })

  test('MCP-04 what follows in further records is not looked at, such as early data', () => {
    const early = Buffer.concat([hello(plain), Buffer.from([23, 3, 3, 0, 1, 0])])
    expect(readClientHello(early)).toEqual({ kind: 'hello', serverName: name })
  })

  test('MCP-04 until it is whole, more is asked for, and then never again', () => {
    const bytes = hello({ ...plain, split: [40, 3] })
    for (let length = 0; length < bytes.length; length += 1)
      expect(readClientHello(bytes.subarray(0, length))).toEqual({ kind: 'more' })
    expect(readClientHello(bytes).kind).toBe('hello')
  })
})

describe('what two readers could understand differently', () => {
  test.each<readonly [string, HelloParts, string]>([
    ['a name twice', { extensions: [serverName(name), serverName('b.example')] }, 'damaged'],
    ['two names in one list', { extensions: [serverName(name, 'b.example')] }, 'damaged'],
    ['a name of another type', { extensions: [serverName([1, name])] }, 'damaged'],
    ['an empty list of names', { extensions: [serverName()] }, 'damaged'],
    ['an empty name', { extensions: [serverName('')] }, 'not a name'],
    [
      'a name with a zero byte',
      { extensions: [serverName(`${name}\0.evil.example`)] },
      'not a name',
    ],
    ['a name with a blank', { extensions: [serverName('a b')] }, 'not a name'],
    ['a name that is not ASCII', { extensions: [serverName('ä.example')] }, 'not a name'],
    ['a name that is too long', { extensions: [serverName('a'.repeat(256))] }, 'not a name'],
    [
      'a name with more after it',
      {
        extensions: [extension(0, Buffer.concat([serverName(name).subarray(4), Buffer.from([0])]))],
      },
      'damaged',
    ],
    [
      'any extension twice',
      {
        extensions: [
          extension(43, Buffer.alloc(3)),
          serverName(name),
          extension(43, Buffer.alloc(3)),
        ],
      },
      'damaged',
    ],
    [
      'an extension that is cut short',
      { extensions: [serverName(name), Buffer.from([0, 43, 0, 9, 1])] },
      'damaged',
    ],
    ['more after the extensions', { ...plain, after: Buffer.from([0]) }, 'damaged'],
    ['another message in its record', { ...plain, tail: Buffer.from([1, 0, 0, 0]) }, 'damaged'],
    [
      'an encrypted ClientHello',
      { extensions: [...plain.extensions, extension(0xfe0d, Buffer.alloc(8))] },
      'ECH',
    ],
    [
      'one as drafts had it',
      { extensions: [...plain.extensions, extension(0xfe0a, Buffer.alloc(8))] },
      'ECH',
    ],
    [
      'parts for one',
      { extensions: [...plain.extensions, extension(0xfd00, Buffer.alloc(8))] },
      'ECH',
    ],
    [
      'an encrypted server name',
      { extensions: [...plain.extensions, extension(0xffce, Buffer.alloc(8))] },
      'ECH',
    ],
    [
      'too many records',
      { ...plain, split: Array.from({ length: 40 }, () => 1) },
      'too many pieces',
    ],
    [
      'more than we read',
      {
        extensions: [serverName(name), extension(21, Buffer.alloc(mostHelloBytes))],
        split: [9_000],
      },
      'too large',
    ],
  ])('THREAT-36 is refused: %s', (_what, parts, why) => {
    const reading = readClientHello(hello(parts))
    expect(reading).toEqual({ kind: 'refused', why: expect.stringContaining(why) })
  })

  test.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['SMTP', Buffer.from('EHLO x\r\n')],
    ['SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ['another record', Buffer.from([23, 3, 1, 0, 1, 0])],
    ['another version', Buffer.from([22, 2, 0, 0, 1, 1])],
    ['another message', record(Buffer.from([2, 0, 0, 0]))],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a record larger than any', Buffer.from([22, 3, 1, 0xff, 0xff])],
  ])('THREAT-36 is no TLS, and known by its first bytes: %s', (_what, bytes) => {
    expect(readClientHello(bytes)).toEqual({ kind: 'refused', why: 'these bytes are not TLS' })
  })
})

describe('any bytes', () => {
  const mostly = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    // Near to a real one: some bytes of it are changed.
    fc
      .array(fc.tuple(fc.nat(hello(plain).length - 1), fc.nat(255)), { maxLength: 6 })
      .map((changes) => {
        const bytes = hello({ ...plain, split: [50] })
        for (const [at, value] of changes) bytes[at] = value
        return new Uint8Array(bytes)
      }),
  )

  test('THREAT-36 never make it throw, and a verdict stays the same whatever comes after', () => {
    fc.assert(
      fc.property(mostly, fc.uint8Array({ maxLength: 40 }), (bytes, after) => {
        const reading = readClientHello(bytes)
        if (reading.kind === 'more') return
        const longer = new Uint8Array([...bytes, ...after])
        expect(readClientHello(longer)).toEqual(reading)
      }),
    )
  })

  test('THREAT-36 give the same verdict however they are split on their way', () => {
    fc.assert(
      fc.property(mostly, (bytes) => {
        const whole = readClientHello(bytes)
        let length = 0
        while (length < bytes.length && readClientHello(bytes.subarray(0, length)).kind === 'more')
          length += 1
        expect(readClientHello(bytes.subarray(0, length))).toEqual(whole)
      }),
    )
  })

  test('THREAT-36 are never read beyond the bound: a verdict needs no byte after it', () => {
    const endless = new Uint8Array(2 * mostHelloBytes)
    endless.set([22, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xf0])
    expect(readClientHello(endless.subarray(0, mostHelloBytes - 1))).toEqual({ kind: 'more' })
    expect(readClientHello(endless.subarray(0, mostHelloBytes)).kind).toBe('refused')
  })

  test('THREAT-36 cost little even one at a time', () => {
    const bytes = new Uint8Array(mostHelloBytes)
    for (let at = 0; at < mostHelloBytes; at += 6)
      bytes.set([22, 3, 1, 0, 1, 1].slice(0, mostHelloBytes - at), at)
    const since = process.cpuUsage()
    let length = 0
    while (readClientHello(bytes.subarray(0, length)).kind === 'more') length += 1
    expect(length).toBeLessThan(mostHelloBytes)
    expect(process.cpuUsage(since).user / 1_000).toBeLessThan(1_000)
  })
})
