import type { Readable } from 'node:stream'

/** Gives `onLine` each line of a byte stream; a line over `maxBytes` ends the reading with `onTooLong`. */
export function readLines(
  stream: Readable,
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): void {
  let parts: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer): void => {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end))
      from = end + 1
      const line = Buffer.concat(parts)
      parts = []
      size = 0
      if (line.length > maxBytes) {
        stop()
        return
      }
      onLine(line.toString())
    }
    parts.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > maxBytes) stop()
  }
  const stop = (): void => {
    stream.off('data', onData)
    parts = []
    onTooLong()
  }
  stream.on('data', onData)
}
