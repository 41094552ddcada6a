import { toPlain } from '../render/to-plain.ts'
import { isUnparsed } from './to-delivery.ts'

/** How a text is to be read: as HTML, or as it is. */
export type ParseMode = { readonly parse_mode?: 'HTML' }

/** CHAT-05: markup that the API refuses is left out. */
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
