import { ByteReader } from './byte-reader.ts'
import { blockBytes, paddingOf, type TarEntry } from './tar-entry.ts'

/** An entry while reading. */
export interface ReadEntry {
  readonly entry: TarEntry
  /** SHA-256 in hex of all bytes before the entry. */
  readonly sha256Before: string
  /** Read it before the next entry is requested; unread content is skipped. */
  readonly content: AsyncIterable<Buffer>
}

const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'directory',
}

/** Reads the output of writeTar. Throws if a header is damaged or of an unknown kind, or the file is cut off. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const reader = new ByteReader(source)
  for (;;) {
    const sha256Before = reader.sha256
    const entry = await readHeader(reader)
    if (entry === undefined) return
    let left = entry.size
    const content = (async function* () {
      for await (const bytes of reader.stream(entry.size)) {
        left -= bytes.length
        yield bytes
      }
    })()
    yield { entry, sha256Before, content }
    for await (const _ of reader.stream(left + paddingOf(entry.size)));
  }
}

async function readHeader(reader: ByteReader): Promise<TarEntry | undefined> {
  let pax: ReadonlyMap<string, string> = new Map()
  for (;;) {
    const block = await reader.read(blockBytes)
    if (block.every((byte) => byte === 0)) return undefined
    assertSum(block)
    const size = octal(block, 124, 12)
    const flag = String.fromCharCode(block[156] ?? 0)
    if (flag !== 'x') return toEntry(block, flag, pax)
    if (size > 1024 * 1024) throw new Error('a header of it is too long')
    pax = parsePax(await reader.read(size))
    await reader.read(paddingOf(size))
  }
}

function toEntry(block: Buffer, flag: string, pax: ReadonlyMap<string, string>): TarEntry {
  const kind = kinds[flag]
  if (kind === undefined) throw new Error(`it has an entry of an unknown kind (${flag})`)
  const size = Number(pax.get('size') ?? octal(block, 124, 12))
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('a header of it is damaged')
  return {
    path: pax.get('path') ?? text(block, 0, 100),
    kind,
    mode: octal(block, 100, 8),
    uid: octal(block, 108, 8),
    gid: octal(block, 116, 8),
    mtime: octal(block, 136, 12),
    size: kind === 'file' ? size : 0,
    target: pax.get('linkpath') ?? text(block, 157, 100),
  }
}

function assertSum(block: Buffer): void {
  const said = octal(block, 148, 8)
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (sum !== said) throw new Error('a header of it is damaged')
}

function parsePax(content: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  let at = 0
  while (at < content.length) {
    const space = content.indexOf(' ', at)
    const length = Number(content.toString('latin1', at, space))
    if (space < 0 || !Number.isInteger(length) || length <= 0)
      throw new Error('a header of it is damaged')
    const record = content.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at += length
  }
  return records
}

function text(block: Buffer, offset: number, width: number): string {
  const field = block.subarray(offset, offset + width)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? width : end)
}

function octal(block: Buffer, offset: number, width: number): number {
  const digits = text(block, offset, width).trim()
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}
