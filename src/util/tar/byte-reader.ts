import { createHash, type Hash } from 'node:crypto'

/** The source ended in the middle of an entry. */
export class CutOff extends Error {
  override name = 'CutOff'
}

/** Reads exact numbers of bytes and keeps a digest of everything read. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #hash: Hash = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** SHA-256 in hex of everything read so far. */
  get sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  /** Reads exactly `count` bytes. Throws CutOff if there are fewer. */
  async read(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.stream(count)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** Streams exactly `count` bytes. */
  async *stream(count: number): AsyncGenerator<Buffer> {
    let left = count
    while (left > 0) {
      if (this.#rest.length === 0) await this.#fill()
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      this.#hash.update(part)
      yield part
    }
  }

  async #fill(): Promise<void> {
    const next = await this.#source.next()
    if (next.done === true) throw new CutOff('it ends too early')
    this.#rest = next.value
  }
}
