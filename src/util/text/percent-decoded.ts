/** Percent-decodes a part of a URL; the text itself if a `%` encodes nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
