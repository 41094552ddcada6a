import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Answers of one name, asked for anew with every question; `silent` says nothing. */
export type Answers = () =>
  | { readonly a?: readonly string[]; readonly aaaa?: readonly string[] }
  | 'silent'

export interface NameServer extends AsyncDisposable {
  /** `address:port`. */
  readonly address: string
  readonly names: Map<string, Answers>
  /** The name of each question for an IPv4 address. */
  readonly asked: readonly string[]
}

const typeA = 1
const typeAaaa = 28

/** A name server that knows what it is told and nothing else. */
export async function createNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const names = new Map<string, Answers>()
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    if (type === typeA) asked.push(name)
    const answers = names.get(name)?.()
    if (answers === 'silent') return
    const addresses = answers === undefined ? undefined : addressesOf(answers, type)
    socket.send(replyTo(query, end, type, addresses), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    names,
    asked,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function addressesOf(
  answers: Exclude<ReturnType<Answers>, 'silent'>,
  type: number,
): readonly string[] {
  if (type === typeA) return answers.a ?? []
  return type === typeAaaa ? (answers.aaaa ?? []) : []
}

/** RFC 1035, 4.1.2. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function replyTo(
  query: Buffer,
  end: number,
  type: number,
  addresses: readonly string[] | undefined,
): Buffer {
  const header = Buffer.from(query.subarray(0, 12))
  // A response that recursed; 3: there is no such name.
  header.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(addresses?.length ?? 0, 6)
  header.writeUInt32BE(0, 8)
  const records = (addresses ?? []).map((address) => record(type, bytesOf(address)))
  return Buffer.concat([header, query.subarray(12, end), ...records])
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [left = '', right] = address.split('::')
  const parts = (text: string) => text.split(':').filter((part) => part !== '')
  const head = parts(left)
  const tail = right === undefined ? [] : parts(right)
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const groups = right === undefined ? head : [...head, ...zeros, ...tail]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
