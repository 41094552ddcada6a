import type { ToolError } from '../../domain/tool/tool-error.ts'
import { type Answer, declaredLength } from './ask.ts'
import { type ContentKind, type ContentType, toContentType } from './content-kind.ts'
import { decodeText } from './decode-text.ts'
import { decompress } from './decompress.ts'

/** A text that was fetched. */
export interface Document {
  readonly kind: Exclude<ContentKind, 'binary' | 'unknown'>
  /** Its media type; empty: the server named none. */
  readonly type: string
  /** Where it came from in the end. */
  readonly url: string
  readonly text: string
}

export type ToDocument =
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'failed'; readonly error: ToolError }

/** WEB-01, WEB-05: an answer as text: unpacked, decoded; what is too large or no text is refused. */
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

/** As far as it is known: what the server said, or what had come when reading stopped. */
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
