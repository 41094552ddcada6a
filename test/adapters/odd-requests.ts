import { connect } from 'node:net'
import fc from 'fast-check'

/** Bytes of a request, and whether a server can know where it ends. */
export interface OddRequest {
  readonly bytes: Buffer
  readonly isWhole: boolean
}

/** What came back over a connection until it was closed. */
export interface OddAnswer {
  /** Of each answer but `100 Continue`, in their order. */
  readonly statuses: readonly number[]
  readonly text: string
}

export interface OddParts {
  readonly methods: readonly string[]
  /** Paths that are served; they are also asked for in other spellings. */
  readonly paths: readonly string[]
  /** Lines of a head without their ends. */
  readonly headers: readonly string[]
  readonly bodies: fc.Arbitrary<string>
  /** Lines that depend on the body, such as its signature. */
  readonly sign?: (body: Buffer) => readonly string[]
}

const methods = ['GET', 'HEAD', 'PUT', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'PROPFIND', 'X', '']
const hosts = [
  '127.0.0.1',
  'localhost',
  'evil.example',
  '[::1]',
  'a b',
  '',
  'x:99999',
  '[',
  'é',
  'a/b@c',
]
const oddHeaders = [
  'Content-Type: application/json',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Type: multipart/form-data; boundary=x',
  'Content-Type: \u00e9',
  'Content-Encoding: gzip',
  'Origin: https://evil.example',
  'Sec-Fetch-Site: cross-site',
  'Expect: 100-continue',
  'Expect: nothing',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  '__proto__: x',
  'constructor: x',
  'Range: bytes=0-',
  'If-None-Match: *',
  'Host: second.example',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: -1',
  'Content-Length: 1e3',
  ' folded: line',
  'no colon',
  'X-A: a\0b',
  `X-Long: ${'x'.repeat(9_000)}`,
  `X-TooLong: ${'x'.repeat(20_000)}`,
  `X-Many: ${'a,'.repeat(2_000)}`,
]
const breaksFraming =
  /^(?: |no colon|X-A|X-TooLong|Content-Length|Transfer-Encoding|Expect|Connection)/

/** Other spellings of a path, by which a route might be reached or missed. */
const respellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => `${path}/`,
  (path) => `${path}/..`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => path.replace(/\w(?=\w*$)/, (char) => `%${char.charCodeAt(0).toString(16)}`),
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.toUpperCase(),
  (path) => `${path};a=b`,
  (path) => `${path}?${'a=%zz&'.repeat(500)}`,
  (path) => `${path}%00`,
  (path) => `${path}%`,
  (path) => `${path}%ff%fe`,
  (path) => `${path}#x`,
  (path) => `${path}\u00e9`,
  (path) => `http://evil.example${path}`,
  (path) => `//evil.example${path}`,
  (path) => path.slice(1),
  (path) => `${path}/${'x/'.repeat(5_000)}`,
  () => '*',
  () => '/../../../etc/passwd',
  () => '/%2e%2e/%2e%2e/etc/passwd',
  () => 'http://[',
]

type Framing = 'length' | 'chunked' | 'both' | 'short' | 'bad_chunk' | 'none'
const whole: readonly Framing[] = ['length', 'chunked']
const broken: readonly Framing[] = ['both', 'short', 'bad_chunk', 'none']

/** Requests as somebody writes them who wants a server to stumble: most of them are almost right. */
export function oddRequests(parts: OddParts): fc.Arbitrary<OddRequest> {
  const twisted = fc
    .tuple(fc.constantFrom(...parts.paths), fc.constantFrom(...respellings))
    .map(([path, respell]) => respell(path))
  return fc
    .record({
      method: fc.oneof(
        { arbitrary: fc.constantFrom(...parts.methods), weight: 9 },
        fc.constantFrom(...methods),
      ),
      target: fc.oneof({ arbitrary: fc.constantFrom(...parts.paths), weight: 3 }, twisted),
      host: fc.oneof(
        { arbitrary: fc.constantFrom('127.0.0.1', 'localhost'), weight: 5 },
        fc.constantFrom(...hosts),
      ),
      good: fc.oneof(fc.constant([...parts.headers]), fc.subarray([...parts.headers])),
      odd: fc.oneof(
        fc.constant<string[]>([]),
        fc.array(fc.constantFrom(...oddHeaders), { maxLength: 2 }),
      ),
      body: parts.bodies,
      framing: fc.oneof(
        { arbitrary: fc.constantFrom(...whole), weight: 5 },
        fc.constantFrom(...broken),
      ),
      version: fc.oneof(
        { arbitrary: fc.constant('HTTP/1.1'), weight: 15 },
        fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'http/1.1', ''),
      ),
      isSigned: fc.boolean(),
    })
    .map(({ method, target, host, good, odd, body, framing, version, isSigned }) => {
      const bytes = Buffer.from(body)
      const signature = isSigned ? (parts.sign?.(bytes) ?? []) : []
      const lines = [`Host: ${host}`, 'Connection: close', ...good, ...signature, ...odd]
      const framed = frame(bytes, framing)
      const head = [`${method} ${target} ${version}`, ...lines, ...framed.lines].join('\r\n')
      return {
        bytes: Buffer.concat([Buffer.from(`${head}\r\n\r\n`), framed.bytes]),
        isWhole:
          framed.isWhole &&
          method !== 'CONNECT' &&
          version !== '' &&
          !odd.some((line) => breaksFraming.test(line)),
      }
    })
}

function frame(body: Buffer, framing: Framing) {
  const size = body.length.toString(16)
  const chunked = Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
  const length = `Content-Length: ${body.length}`
  const coding = 'Transfer-Encoding: chunked'
  switch (framing) {
    case 'length':
      return { lines: [length], bytes: body, isWhole: true }
    case 'chunked':
      return {
        lines: [coding],
        bytes: body.length === 0 ? Buffer.from('0\r\n\r\n') : chunked,
        isWhole: true,
      }
    case 'both':
      return { lines: [length, coding], bytes: chunked, isWhole: false }
    case 'short':
      return { lines: [`Content-Length: ${body.length + 9}`], bytes: body, isWhole: false }
    case 'bad_chunk':
      return {
        lines: [coding],
        bytes: Buffer.concat([Buffer.from('zz\r\n'), body]),
        isWhole: false,
      }
    case 'none':
      return { lines: [], bytes: Buffer.alloc(0), isWhole: true }
  }
}

const quietMs = 20
const patienceMs = 20_000

/**
 * Sends a request and reads until the server closes. One without an end is hung up on once nothing more comes. Rejects when a
 * whole one has no answer in 20 s.
 */
export async function sendOdd(port: number, { bytes, isWhole }: OddRequest): Promise<OddAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const chunks: Buffer[] = []
  const socket = connect(port, '127.0.0.1')
  const late = setTimeout(() => reject(new Error('no answer')), patienceMs)
  const hangUp = isWhole ? undefined : setTimeout(() => socket.destroy(), quietMs)
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    hangUp?.refresh()
  })
  // A server may close while we still send.
  socket.on('error', () => undefined).on('close', () => resolve())
  socket.write(bytes)
  try {
    await promise
  } finally {
    clearTimeout(late)
    clearTimeout(hangUp)
    socket.destroy()
  }
  const text = Buffer.concat(chunks).toString('latin1')
  const found = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
  return { statuses: found.filter((status) => status !== 100), text }
}
