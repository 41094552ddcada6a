const named = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
])

/** The character reference at `at`, with or without its semicolon; undefined: the `&` stands for itself. */
export function decodeReference(
  source: string,
  at: number,
): { readonly text: string; readonly end: number } | undefined {
  const found = /^&(?:#x([0-9a-f]*)|#(\d*)|([a-z]*))/i.exec(source.slice(at, at + 32))
  if (found === null) return undefined
  const text = found[3] === undefined ? numericText(found) : named.get(found[3])
  if (text === undefined) return undefined
  const end = at + found[0].length
  return { text, end: source.charAt(end) === ';' ? end + 1 : end }
}

function numericText(found: RegExpExecArray): string | undefined {
  // Only a small x makes it hexadecimal.
  if (found[1] !== undefined && found[0].charAt(2) !== 'x') return undefined
  const code = found[1] === undefined ? Number(found[2]) : Number.parseInt(found[1] || '0', 16)
  if (found[0].length >= 10 || code === 0 || code >= 0x10ffff) return undefined
  return String.fromCodePoint(code)
}
