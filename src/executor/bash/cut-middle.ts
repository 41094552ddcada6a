/** Returns the line that marks dropped output (BASH-04). */
export function cutMark(bytes: number): string {
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
