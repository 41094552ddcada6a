/** A stream that holds what no provider sends. */
export class GarbledStream extends Error {
  override readonly name = 'GarbledStream'
}

/** What the AI SDK calls what it cannot read, and ours. */
const garbled =
  /^(?:GarbledStream|AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated)Error)$/

/** How the Anthropic SDK fails over a first event that it cannot parse. */
const unparsed = 'Expected a normalized Anthropic stream error'

/** MODEL-08: whether an error, or one of its causes, says that an answer could not be read. */
export function isGarbled(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    if (garbled.test(at.name) || at.message === unparsed) return true
    at = at.cause
  }
  return false
}
