import { toPlain } from '../render/to-plain.ts'
import { isUnparsed } from './to-delivery.ts'

/** Parse mode of a text: HTML, or none. */
export type ParseMode = { readonly parse_mode?: 'HTML' }

/** Calls with HTML, and again with plain text if the API refuses to parse it (CHAT-05). */
export async function withPlainFallback<Result>(
  html: string,
  call: (text: string, mode: ParseMode) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(html, { parse_mode: 'HTML' })
  } catch (error) {
    if (!isUnparsed(error)) throw error
    return call(toPlain(html), {})
  }
}
