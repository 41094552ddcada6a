import type { Readable } from 'node:stream'

/** Calls `onLine` with each line of `input`, of which at most `maxBytes` are kept, however long it is. */
export function readCappedLines(
  input: Readable,
  maxBytes: number,
  onLine: (line: Buffer) => void,
): void {
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer): void => {
    const kept = part.subarray(0, Math.max(0, maxBytes - size))
    if (kept.length > 0) parts.push(kept)
    size += kept.length
  }
  const finish = (): void => {
    onLine(Buffer.concat(parts))
    parts = []
    size = 0
  }
  input.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      take(chunk.subarray(from, at))
      finish()
      from = at + 1
    }
    take(chunk.subarray(from))
  })
  input.once('end', () => {
    if (size > 0) finish()
  })
}
