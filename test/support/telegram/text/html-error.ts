/** Why markup was refused, in Telegram's words after `can't parse entities: `. */
export class HtmlError extends Error {
  override readonly name = 'HtmlError'
}

/** Telegram counts places in bytes of UTF-8. */
export function byteOffset(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at))
}
