/** Why a fetch rejected, in our own words: the network's would hold the address, and that may hold a token (THREAT-14). */
export function whyNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no time left'
  const inner = error.cause instanceof Error ? error.cause : error
  const code: unknown = Reflect.get(inner, 'code')
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'it broke off'
}
