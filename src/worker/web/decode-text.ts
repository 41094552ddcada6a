/** How far into a page its own word on its charset is looked for: what browsers read. */
const declaredWithin = 1_024

/**
 * A body as text: by its byte order mark, else by the charset of its header, else by what the page says of itself, else
 * UTF-8, and Windows-1252 where it is none (WHATWG Encoding). undefined: it holds NUL, and so is no text.
 */
export function decodeText(body: Buffer, charset: string | undefined): string | undefined {
  const label = markOf(body) ?? charset ?? declaredIn(body)
  const text = (label === undefined ? undefined : decodeAs(body, label)) ?? guess(body)
  return text.includes('\0') ? undefined : text
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined
}

function declaredIn(body: Buffer): string | undefined {
  const start = body.subarray(0, declaredWithin).toString('latin1')
  const found =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(start) ??
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(start)
  const label = found?.[1]
  // A page whose bytes could be read so far is not in UTF-16, whatever it says.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}

function decodeAs(body: Buffer, label: string): string | undefined {
  try {
    return new TextDecoder(label).decode(body)
  } catch {
    return undefined
  }
}

function guess(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return new TextDecoder('windows-1252').decode(body)
  }
}
