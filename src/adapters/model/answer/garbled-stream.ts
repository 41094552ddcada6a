/** A stream with content that no provider sends. */
export class GarbledStream extends Error {
  override readonly name = 'GarbledStream'
}

/** Error names of the AI SDK for unreadable content, and ours. */
const garbled =
  /^(?:GarbledStream|AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated)Error)$/

/** The Anthropic SDK's error message for a first event that it cannot parse. */
const unparsed = 'Expected a normalized Anthropic stream error'

/** MODEL-08: whether an error, or one of its causes, means that an answer could not be parsed. */
export function isGarbled(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    if (garbled.test(at.name) || at.message === unparsed) return true
    at = at.cause
  }
  return false
}
