/** The line that stands where output was left out (BASH-04). */
export function cutMark(bytes: number): string {
  return `\n[… ${bytes} bytes cut here …]\n`
}

/** `text` with its middle left out when it is longer than `maxBytes` of UTF-8. */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const half = Math.floor(maxBytes / 2)
  const head = bytes.subarray(0, toBoundary(bytes, half))
  const tail = bytes.subarray(toBoundary(bytes, bytes.length - half))
  return head.toString() + cutMark(bytes.length - head.length - tail.length) + tail.toString()
}

/** The first offset at or after `offset` where a character begins. */
function toBoundary(bytes: Buffer, offset: number): number {
  let at = offset
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}
