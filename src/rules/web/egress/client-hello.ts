/** What the first bytes of a TLS client are: the server name that it asks for, not all of it yet, or something to refuse. */
export type HelloReading =
  | { readonly kind: 'more' }
  | { readonly kind: 'hello'; readonly serverName: string | undefined }
  | { readonly kind: 'refused'; readonly why: string }

/** Most bytes of a ClientHello with its record headers. With keys that resist quantum computers it has about 2,000. */
export const mostHelloBytes = 16_384

const notTls = 'these bytes are not TLS'
const damaged = 'the ClientHello is damaged'
const tooLarge = 'the ClientHello is too large'

/** Type of the handshake message. */
const clientHello = 1

/**
 * Reads the ClientHello that `bytes` begin with (RFC 8446, 4.1.2; RFC 6066, 3), also where it is spread over several records, as
 * servers put it together. Whatever two readers could understand differently is refused. Never throws. Begin again with more bytes
 * while it says `more`; it does not, once there are `mostHelloBytes`.
 */
export function readClientHello(bytes: Uint8Array): HelloReading {
  const message = collectMessage(bytes)
  if (message.kind !== 'whole') return message
  return readMessage(message.body)
}

type Message =
  | { readonly kind: 'whole'; readonly body: Uint8Array }
  | Extract<HelloReading, { kind: 'more' | 'refused' }>

/** Clients use one record, and few more where they hide from filters; without a limit each byte could cost a walk over all. */
const mostRecords = 32

/** Puts the handshake message together; returns it without its header. */
function collectMessage(bytes: Uint8Array): Message {
  const fragments: Uint8Array[] = []
  /** Bytes of the message in the records so far, as their headers say. */
  let declared = 0
  let at = 0
  while (fragments.length < mostRecords) {
    const header = bytes.subarray(at, at + 5)
    if (!mayBeHeader(header)) return refused(notTls)
    if (header.length < 5) return more(bytes)
    const length = toNumber(header.subarray(3))
    if (length === 0 || length > mostHelloBytes) return refused(notTls)
    const fragment = bytes.subarray(at + 5, at + 5 + length)
    if (fragments.length === 0 && (fragment[0] ?? clientHello) !== clientHello)
      return refused(notTls)
    if (fragment.length < length) return more(bytes)
    fragments.push(fragment)
    declared += length
    at += 5 + length
    if (declared < 4) continue
    const message = joined(fragments)
    const size = 4 + toNumber(message.subarray(1, 4))
    if (size > mostHelloBytes) return refused(tooLarge)
    if (declared > size) return refused(damaged)
    if (declared === size) return { kind: 'whole', body: message.subarray(4) }
  }
  return refused('the ClientHello is in too many pieces')
}

/** A handshake record of SSL 3 or any TLS, as far as it has come. */
function mayBeHeader([type = 22, major = 3, minor = 0]: Uint8Array): boolean {
  return type === 22 && major === 3 && minor <= 4
}

function more(bytes: Uint8Array): Message {
  return bytes.length < mostHelloBytes ? { kind: 'more' } : refused(tooLarge)
}

function joined(fragments: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(fragments.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const fragment of fragments) {
    whole.set(fragment, at)
    at += fragment.length
  }
  return whole
}

const serverNameType = 0

/** Encrypted Client Hello and its drafts (0xfe08 to 0xfe0d), what goes in it, and the encrypted server name before it. */
function hidesName(type: number): boolean {
  return (type >= 0xfe08 && type <= 0xfe0d) || type === 0xfd00 || type === 0xffce
}

function readMessage(body: Uint8Array): HelloReading {
  const cursor = new Cursor(body)
  // Version and random, session id, cipher suites, compression methods.
  cursor.take(34)
  cursor.vector(1)
  cursor.vector(2)
  cursor.vector(1)
  const extensions = cursor.rest.length === 0 ? new Cursor(body.subarray(0, 0)) : cursor.inner(2)
  if (cursor.isBroken || cursor.rest.length > 0) return refused(damaged)
  const found = new Map<number, Uint8Array>()
  while (extensions.rest.length > 0) {
    const type = extensions.number(2)
    const data = extensions.vector(2)
    if (extensions.isBroken || found.has(type)) return refused(damaged)
    if (hidesName(type)) return refused('the ClientHello hides its server name (ECH)')
    found.set(type, data)
  }
  const names = found.get(serverNameType)
  return names === undefined ? { kind: 'hello', serverName: undefined } : readServerName(names)
}

/** Reads the only name of the list; RFC 6066 allows one of each type, and there is one type. */
function readServerName(data: Uint8Array): HelloReading {
  const outer = new Cursor(data)
  const list = outer.inner(2)
  const type = list.number(1)
  const name = list.vector(2)
  const isWhole = !outer.isBroken && !list.isBroken && type === 0
  if (!isWhole || outer.rest.length > 0 || list.rest.length > 0) return refused(damaged)
  const serverName = String.fromCharCode(...name.subarray(0, 256))
  if (!/^[\x21-\x7e]{1,255}$/.test(serverName)) return refused('the server name is not a name')
  return { kind: 'hello', serverName }
}

/** Reads numbers and vectors with a length before them; once something is missing, all is empty and `isBroken`. */
class Cursor {
  #rest: Uint8Array
  #isBroken = false

  constructor(bytes: Uint8Array) {
    this.#rest = bytes
  }

  get rest(): Uint8Array {
    return this.#rest
  }

  get isBroken(): boolean {
    return this.#isBroken
  }

  take(length: number): Uint8Array {
    this.#isBroken ||= length > this.#rest.length
    const taken = this.#isBroken ? this.#rest.subarray(0, 0) : this.#rest.subarray(0, length)
    this.#rest = this.#isBroken ? taken : this.#rest.subarray(length)
    return taken
  }

  number(bytes: number): number {
    return toNumber(this.take(bytes))
  }

  /** `bytes` is the size of the length. */
  vector(bytes: number): Uint8Array {
    return this.take(this.number(bytes))
  }

  inner(bytes: number): Cursor {
    return new Cursor(this.vector(bytes))
  }
}

function toNumber(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

function refused(why: string): { readonly kind: 'refused'; readonly why: string } {
  return { kind: 'refused', why }
}
