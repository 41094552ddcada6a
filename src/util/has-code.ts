const lostCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** SQLSTATE: connection exceptions, too many connections, server shutting down or starting. */
const lostStates = /^(08\w{3}|53300|57P0[1-5])$/

/** Messages of pg, ioredis and Redis without a code; a Redis that is still loading its data counts as away. */
const lostWords =
  /connection terminated|is not queryable|connection timeout|timeout exceeded when trying to connect|connection is closed|command timed out|due to connection close|max retries per request|max number of clients|loading the dataset in memory/i

/** Whether an error of the operating system or Node has this code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Whether an error means that the server is unreachable, not that it refused the request. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return lostCodes.has(code) || lostStates.test(code) || lostWords.test(error.message)
}
