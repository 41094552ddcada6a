/** The other side closed a connection that was kept, perhaps while this process stood still (undici, Node). */
const cutCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * A fetch that asks once more, at once, when the connection broke before an answer began: a kept-alive one may be closed by the
 * other side at any time (RFC 9112, section 9.3.1). Only for requests that change nothing at the other side, with a body that
 * can be sent twice.
 */
export const reconnectingFetch: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (error) {
    if (!wasCut(error) || init?.signal?.aborted === true) throw error
    return await fetch(input, init)
  }
}

function wasCut(error: unknown): boolean {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return false
  return 'code' in error.cause && cutCodes.has(String(error.cause.code))
}
