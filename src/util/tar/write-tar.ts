import { createHash } from 'node:crypto'
import { encodeTarHeader } from './encode-tar-header.ts'
import { blockBytes, paddingOf, type TarEntry } from './tar-entry.ts'

/** An entry with its content. Content that is longer than `size` is cut there; shorter content is filled up with zeros. */
export interface TarPart {
  readonly entry: TarEntry
  readonly content: AsyncIterable<Buffer> | Iterable<Buffer>
}

/** The bytes of a tar file, made as they are read. `last` is given the SHA-256 in hex of all bytes before it. */
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
