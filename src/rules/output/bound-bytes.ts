/**
 * Limits a text to `mostBytes` of UTF-8 (OUT-09): a longer one keeps its head and tail around a line that counts the characters
 * removed. That line counts towards the limit and is present even if it does not fit. No character is split.
 */
export function boundBytes(
  text: string,
  mostBytes: number,
): { readonly text: string; readonly cut: boolean } {
  // A UTF-16 unit takes at most three bytes in UTF-8: short texts need no exact count.
  if (text.length * 3 <= mostBytes || Buffer.byteLength(text) <= mostBytes) {
    return { text, cut: false }
  }
  const room = mostBytes - Buffer.byteLength(lineAbout(text.length))
  const half = Math.max(0, Math.floor(room / 2))
  // A UTF-16 unit takes at least one byte: `half` units always hold `half` bytes.
  const first = Buffer.from(text.slice(0, half))
  const last = Buffer.from(text.slice(Math.max(0, text.length - half)))
  const head = first.toString('utf8', 0, startOf(first, half))
  const tail = last.toString('utf8', endOf(last, last.length - half))
  const left = text.length - head.length - tail.length
  return { text: `${head}${lineAbout(left)}${tail}`, cut: true }
}

function lineAbout(left: number): string {
  return `\n[… ${left} characters were not kept …]\n`
}

/** Start of the character that contains byte `at`. */
function startOf(bytes: Buffer, at: number): number {
  let start = at
  while (start > 0 && isWithin(bytes, start)) start -= 1
  return start
}

/** Start of the first character at or after byte `at`. */
function endOf(bytes: Buffer, at: number): number {
  let end = at
  while (end < bytes.length && isWithin(bytes, end)) end += 1
  return end
}

function isWithin(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80
}
