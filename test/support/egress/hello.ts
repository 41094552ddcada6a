/** Parts of a ClientHello that tests change. */
export interface HelloParts {
  readonly extensions: readonly Buffer[]
  /** After the extensions. */
  readonly after?: Buffer
  /** Bytes of the message in each record; the last record takes the rest. */
  readonly split?: readonly number[]
  /** Appended to the last record. */
  readonly tail?: Buffer
}

function vector(sizeBytes: number, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length.subarray(4 - sizeBytes), data])
}

export function extension(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 255]), vector(2, data)])
}

/** `server_name` with these names, each with its type. */
export function serverName(...names: readonly (string | readonly [number, string])[]): Buffer {
  const entries = names.map((entry) => {
    const [type, name] = typeof entry === 'string' ? ([0, entry] as const) : entry
    return Buffer.concat([Buffer.from([type]), vector(2, Buffer.from(name, 'latin1'))])
  })
  return extension(0, vector(2, Buffer.concat(entries)))
}

/** The handshake message, written out by RFC 8446, 4.1.2, rather than by any library. */
function helloMessage({ extensions, after = Buffer.alloc(0) }: HelloParts): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    vector(1, Buffer.alloc(32, 9)),
    vector(2, Buffer.from([0x13, 1, 0x13, 2])),
    vector(1, Buffer.from([0])),
    vector(2, Buffer.concat(extensions)),
    after,
  ])
  return Buffer.concat([Buffer.from([1]), vector(3, body)])
}

/** The same in records. */
export function hello(parts: HelloParts): Buffer {
  const message = helloMessage(parts)
  const records: Buffer[] = []
  let at = 0
  for (const size of [...(parts.split ?? []), message.length]) {
    const piece = message.subarray(at, at + size)
    at += piece.length
    if (piece.length > 0) records.push(piece)
  }
  const last = records.pop() ?? Buffer.alloc(0)
  return Buffer.concat(
    [...records, Buffer.concat([last, parts.tail ?? Buffer.alloc(0)])].map(record),
  )
}

export function record(fragment: Buffer): Buffer {
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(2, fragment)])
}
