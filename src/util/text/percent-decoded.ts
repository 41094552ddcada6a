/** Part of a URL as it was meant; the text itself where a `%` encodes nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
