/** As Node, PostgreSQL (SQLSTATE) and Redis give them: `ECONNREFUSED`, `28P01`, `NOAUTH`. */
const form = /^(?:[A-Z][A-Z0-9_]{2,31}|\d[\dA-Z]{4})$/

/** The code that an error, or the error that caused it, carries; it holds no address and no password. Undefined: none does. */
export function failureCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && form.test(error.code)) return error.code
  // Redis puts its code before its words, and only there.
  const [first = ''] = error.message.split(' ', 1)
  if (error.name === 'ReplyError' && form.test(first)) return first
  return failureCode(error.cause)
}
