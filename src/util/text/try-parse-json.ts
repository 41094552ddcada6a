/** The value, or undefined for what is no JSON. */
export function tryParseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
