/**
 * OUT-09: a text that has at most so many bytes in UTF-8: of a longer one head and tail, around a line that says how much is missing.
 * That line counts too, and is there in any case. No character is cut.
 */
export function boundBytes(
  text: string,
  mostBytes: number,
): { readonly text: string; readonly cut: boolean } {
  // Three bytes a UTF-16 unit at most: what is short is not counted.
  if (text.length * 3 <= mostBytes || Buffer.byteLength(text) <= mostBytes) {
    return { text, cut: false }
  }
  const room = mostBytes - Buffer.byteLength(lineAbout(text.length))
  const half = Math.max(0, Math.floor(room / 2))
  // A byte a UTF-16 unit at least: more of the text is not needed, and need not be copied.
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

/** Where the character begins that `at` is within. */
function startOf(bytes: Buffer, at: number): number {
  let start = at
  while (start > 0 && isWithin(bytes, start)) start -= 1
  return start
}

/** Where the next character begins from `at` on. */
function endOf(bytes: Buffer, at: number): number {
  let end = at
  while (end < bytes.length && isWithin(bytes, end)) end += 1
  return end
}

function isWithin(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80
}
