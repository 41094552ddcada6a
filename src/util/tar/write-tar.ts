import { createHash } from 'node:crypto'
import { blockBytes, paddingOf, type TarEntry } from './tar-entry.ts'

const typeFlags = { file: '0', link: '1', symlink: '2', directory: '5' } as const

const nameBytes = 100

/** The limit of 11 octal digits. */
const maxOctal = 8 ** 11

/** An entry with its content. Content longer than `size` is truncated; shorter content is padded with zeros. */
export interface TarPart {
  readonly entry: TarEntry
  readonly content: AsyncIterable<Buffer> | Iterable<Buffer>
}

/** Generates a tar file while it is read. `last` receives the SHA-256 in hex of all bytes before it. */
export async function* writeTar(
  parts: AsyncIterable<TarPart>,
  last: (sha256: string) => TarPart,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const part of parts) {
    for await (const bytes of bytesOf(part)) {
      hash.update(bytes)
      yield bytes
    }
  }
  yield* bytesOf(last(hash.digest('hex')))
  yield Buffer.alloc(2 * blockBytes)
}

async function* bytesOf({ entry, content }: TarPart): AsyncGenerator<Buffer> {
  yield encodeTarHeader(entry)
  let left = entry.size
  for await (const bytes of content) {
    if (left === 0) break
    const part = bytes.subarray(0, left)
    left -= part.length
    yield part
  }
  const zeros = Buffer.alloc(64 * 1024)
  while (left > 0) {
    const part = zeros.subarray(0, left)
    left -= part.length
    yield part
  }
  yield Buffer.alloc(paddingOf(entry.size))
}

/**
 * The blocks before an entry's content: a POSIX.1-1988 (ustar) header, preceded by a POSIX.1-2001 (pax) header if a name is long
 * or not ASCII, or the content is 8 GiB or more. Any tar can read it.
 */
function encodeTarHeader(entry: TarEntry): Buffer {
  const records = paxRecords(entry)
  const header = ustar(entry, typeFlags[entry.kind])
  if (records.length === 0) return header
  const content = Buffer.concat(records)
  const pax = { ...entry, path: 'pax', target: '', size: content.length }
  return Buffer.concat([ustar(pax, 'x'), content, Buffer.alloc(paddingOf(content.length)), header])
}

function paxRecords({ path, target, size }: TarEntry): readonly Buffer[] {
  const records: Buffer[] = []
  if (isLong(path)) records.push(paxRecord('path', path))
  if (isLong(target)) records.push(paxRecord('linkpath', target))
  if (size >= maxOctal) records.push(paxRecord('size', String(size)))
  return records
}

function isLong(name: string): boolean {
  return Buffer.byteLength(name) > nameBytes || /[^ -~]/.test(name)
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  let length = bytes
  while (length !== bytes + String(length).length) length = bytes + String(length).length
  return Buffer.from(`${length}${rest}`)
}

function ustar(entry: TarEntry, typeFlag: string): Buffer {
  const block = Buffer.alloc(blockBytes)
  block.write(entry.path, 0, nameBytes)
  octal(block, entry.mode, 100, 8)
  octal(block, entry.uid, 108, 8)
  octal(block, entry.gid, 116, 8)
  octal(block, entry.size < maxOctal ? entry.size : 0, 124, 12)
  octal(block, Math.min(Math.max(entry.mtime, 0), maxOctal - 1), 136, 12)
  block.write(' '.repeat(8), 148)
  block.write(typeFlag, 156)
  block.write(entry.target, 157, nameBytes)
  block.write('ustar\0', 257)
  block.write('00', 263)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** A number that does not fit, such as a large uid, is written as 0. */
function octal(block: Buffer, value: number, offset: number, width: number): void {
  const digits = value.toString(8).padStart(width - 1, '0')
  block.write(digits.length < width ? digits : '0'.repeat(width - 1), offset)
}
