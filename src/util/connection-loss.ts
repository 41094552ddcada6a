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

/** SQLSTATE: connection exceptions, too many connections, being shut down, starting up. */
const lostStates = /^(08\w{3}|53300|57P0[1-5])$/

/** What pg, ioredis and Redis say without a code; a Redis that still reads its data is not there yet. */
const lostWords =
  /connection terminated|is not queryable|connection timeout|timeout exceeded when trying to connect|connection is closed|command timed out|due to connection close|max retries per request|max number of clients|loading the dataset in memory/i

/** Whether an error says that the server is away, and not that it refused what was asked. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return lostCodes.has(code) || lostStates.test(code) || lostWords.test(error.message)
}
