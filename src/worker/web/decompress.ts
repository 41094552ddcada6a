import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'

export type Decompressed =
  | { readonly kind: 'plain'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'damaged'; readonly coding: string }

const unpack = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  raw: promisify(inflateRaw),
}

/** Of a list of codings; a server that stacks more is not read. */
const mostCodings = 2

/** WEB-05: undoes a `Content-Encoding` (RFC 9110, 8.4), stopping when more than `most` bytes come out of it. */
export async function decompress(
  body: Buffer,
  contentEncoding: string,
  most: number,
): Promise<Decompressed> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim().replace(/^x-/, ''))
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > mostCodings) return { kind: 'damaged', coding: codings.join(', ') }
  let plain = body
  for (const coding of codings.reverse()) {
    const next = await undo(plain, coding, most)
    if (next.kind !== 'plain') return next
    plain = next.body
  }
  return { kind: 'plain', body: plain }
}

async function undo(body: Buffer, coding: string, most: number): Promise<Decompressed> {
  if (body.length === 0) return { kind: 'plain', body }
  const undoing = undoingOf(coding, body)
  if (undoing === undefined) return { kind: 'damaged', coding }
  try {
    return { kind: 'plain', body: await undoing(body, { maxOutputLength: most }) }
  } catch (error) {
    const isTooLarge = error instanceof RangeError
    return isTooLarge ? { kind: 'too-large' } : { kind: 'damaged', coding }
  }
}

function undoingOf(coding: string, body: Buffer) {
  if (coding === 'gzip' || coding === 'br') return unpack[coding]
  if (coding !== 'deflate') return undefined
  // Many servers leave out the zlib header that the standard asks for.
  return ((body[0] ?? 0) & 0x0f) === 8 ? unpack.deflate : unpack.raw
}
