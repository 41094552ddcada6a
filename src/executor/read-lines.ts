import type { Readable } from 'node:stream'

/** The longest request line in bytes; a longer one is dropped whole. */
const maxRequestBytes = 64 * 1024 * 1024

const newline = 0x0a

/** Calls `onLine` for each complete line of `input`; resolves when it ends. An unfinished last line is dropped. */
export function readLines(
  input: Readable,
  onLine: (line: string) => void,
  maxBytes = maxRequestBytes,
): Promise<void> {
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer): void => {
    size += part.length
    if (size <= maxBytes) parts.push(part)
    else parts = []
  }
  const finish = (): void => {
    if (size > 0 && size <= maxBytes) onLine(Buffer.concat(parts).toString('utf8'))
    parts = []
    size = 0
  }
  input.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at))
      finish()
      from = at + 1
    }
    take(chunk.subarray(from))
  })
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
  })
}
