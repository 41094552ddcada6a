/** BASH-04: text that keeps at most `maxBytes`, half from the start and half from the end. */
export class BoundedText {
  readonly #halfBytes: number
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #droppedBytes = 0

  constructor(maxBytes: number) {
    this.#halfBytes = Math.max(1, Math.floor(maxBytes / 2))
  }

  get truncated(): boolean {
    return this.#droppedBytes > 0
  }

  append(text: string): void {
    const bytes = Buffer.from(text)
    const room = this.#halfBytes - this.#headBytes
    if (room > 0) {
      this.#head.push(bytes.subarray(0, room))
      this.#headBytes += Math.min(room, bytes.length)
    }
    if (bytes.length > room) this.#appendTail(bytes.subarray(Math.max(0, room)))
  }

  /** Returns the kept text with a line that states how much was dropped. */
  toString(): string {
    if (!this.truncated) return Buffer.concat([...this.#head, ...this.#tail]).toString()
    const tail = Buffer.concat(this.#tail)
    return withoutBrokenEnd(this.#head) + cutMark(this.#droppedBytes) + withoutBrokenStart(tail)
  }

  #appendTail(bytes: Buffer): void {
    this.#tail.push(bytes)
    this.#tailBytes += bytes.length
    while (this.#tailBytes > this.#halfBytes) this.#dropFirst(this.#tailBytes - this.#halfBytes)
    if (this.#tail.length > 1024) this.#tail = [Buffer.concat(this.#tail)]
  }

  #dropFirst(excess: number): void {
    const first = this.#tail[0]
    if (first === undefined) return
    const dropped = Math.min(excess, first.length)
    if (dropped === first.length) this.#tail.shift()
    else this.#tail[0] = first.subarray(dropped)
    this.#tailBytes -= dropped
    this.#droppedBytes += dropped
  }
}

/** Drops the parts of a character that was split by the cut. */
function withoutBrokenEnd(parts: readonly Buffer[]): string {
  return Buffer.concat([...parts])
    .toString()
    .replace(/\ufffd{1,3}$/, '')
}

function withoutBrokenStart(bytes: Buffer): string {
  let from = 0
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++
  return bytes.subarray(from).toString()
}

/** Returns the line that marks dropped output (BASH-04). */
function cutMark(bytes: number): string {
  return `\n[… ${bytes} bytes cut here …]\n`
}

/** Drops the middle of a text that exceeds `maxBytes` of UTF-8. */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const half = Math.floor(maxBytes / 2)
  const head = bytes.subarray(0, toBoundary(bytes, half))
  const tail = bytes.subarray(toBoundary(bytes, bytes.length - half))
  return head.toString() + cutMark(bytes.length - head.length - tail.length) + tail.toString()
}

/** Returns the first character boundary at or after `offset`. */
function toBoundary(bytes: Buffer, offset: number): number {
  let at = offset
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}
