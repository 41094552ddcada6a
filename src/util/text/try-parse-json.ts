/** The parsed value, or undefined for invalid JSON. */
export function tryParseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
