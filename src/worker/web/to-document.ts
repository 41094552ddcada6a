import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import {
  type Answer,
  type ContentKind,
  type ContentType,
  declaredLength,
  toContentType,
} from './ask.ts'

const unpack = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  raw: promisify(inflateRaw),
}

/** Maximum number of nested content codings. */
const mostCodings = 2

/** Number of bytes in which a page's own charset declaration is searched, as in browsers. */
const declaredWithin = 1_024

/** Fetched text. */
export interface Document {
  readonly kind: Exclude<ContentKind, 'binary' | 'unknown'>
  /** Media type; empty if the server stated none. */
  readonly type: string
  /** Final URL. */
  readonly url: string
  readonly text: string
}

export type ToDocument =
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'failed'; readonly error: ToolError }

/** WEB-01, WEB-05: decompresses and decodes a response; refuses content that is too large or not text. */
export async function toDocument(url: string, answer: Answer, most: number): Promise<ToDocument> {
  const { headers, body } = answer
  const type = toContentType(headers['content-type'])
  if (body?.kind !== 'whole') {
    const size = sizeOf(answer)
    return type.kind === 'binary' ? binary(type, size) : tooLarge(size, most)
  }
  if (type.kind === 'binary') return binary(type, `${body.bytes} bytes`)
  const unpacked = await decompress(body.body, headers['content-encoding'] ?? '', most)
  if (unpacked.kind === 'too-large') return tooLarge(`${body.bytes} bytes, unpacked`, most)
  if (unpacked.kind === 'damaged') {
    return failed(`the body is not in the encoding it claims (${unpacked.coding.slice(0, 50)})`)
  }
  const text = decodeText(unpacked.body, type.charset)
  if (text === undefined) return binary(type, `${unpacked.body.length} bytes`)
  return { kind: 'document', document: { kind: kindOf(type, text), type: type.type, url, text } }
}

function kindOf({ kind }: ContentType, text: string): Document['kind'] {
  if (kind === 'html' || kind === 'xml' || kind === 'text') return kind
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 1_000)) ? 'html' : 'text'
}

/** Describes the size: as stated by the server, or the bytes read so far. */
function sizeOf({ headers, body }: Answer): string {
  const length = declaredLength(headers)
  if (length !== undefined) return `${length} bytes`
  return body === undefined ? 'of unknown size' : `more than ${body.bytes - 1} bytes`
}

function binary({ type }: ContentType, size: string): ToDocument {
  return failed(`binary content is not fetched: ${type || 'no type named'}, ${size}`)
}

function tooLarge(size: string, most: number): ToDocument {
  return failed(`the body is too large: ${size}; at most ${most} bytes are read, also unpacked`)
}

function failed(message: string): ToDocument {
  return { kind: 'failed', error: { category: 'permanent_failure', message } }
}

/**
 * Decodes a body by its byte order mark, the header's charset, the page's own declaration, UTF-8, or Windows-1252 (WHATWG
 * Encoding). undefined if it contains NUL and is therefore not text.
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
  // A declaration that is readable as ASCII rules out UTF-16.
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

type Decompressed =
  | { readonly kind: 'plain'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'damaged'; readonly coding: string }

/** WEB-05: undoes a `Content-Encoding` (RFC 9110, 8.4), up to `most` bytes of output. */
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
  // Many servers omit the zlib header that the standard requires.
  return ((body[0] ?? 0) & 0x0f) === 8 ? unpack.deflate : unpack.raw
}
