import { isConnectionLoss } from '../../util/connection-loss.ts'

/** An address that is none, or a Redis that will not serve us as it is: a person must mend it. Its words are for people. */
export class RedisRefused extends Error {
  override readonly name = 'RedisRefused'
}

/** Coded as a connection that was refused, which is what it comes to for everybody who waits. */
export function redisAway(words: string): Error {
  return Object.assign(new Error(words), { code: 'ECONNREFUSED' })
}

/** How Redis begins an answer that says more about its own state than about what was asked. */
const states =
  /\b(READONLY|OOM|MISCONF|NOPERM|NOAUTH|WRONGPASS|NOREPLICAS|MASTERDOWN|LOADING|BUSY|UNBLOCKED|CLUSTERDOWN)\b/

/**
 * Whether an error is told by what Redis is going through: away, full, read-only, our password changed. Only what
 * happens to a connection, TLS included, has a code in words.
 */
export function isRedisTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isOfConnection = 'code' in error && typeof error.code === 'string'
  return isOfConnection || isConnectionLoss(error) || states.test(error.message)
}

/**
 * The same error without what ioredis hangs on it: the command that failed with all its arguments, which are jobs or
 * the password itself. A server that is no Redis may also repeat the password in its words.
 */
export function withoutSecrets(error: unknown, password: string | undefined): Error {
  const { message, code } = wordsOf(error)
  const plain = new Error(password ? message.replaceAll(password, '[secret]') : message)
  return code === undefined ? plain : Object.assign(plain, { code })
}

function wordsOf(error: unknown): { readonly message: string; readonly code?: string } {
  if (!(error instanceof Error)) return { message: 'something that is no error was thrown' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  // Several addresses of one name that all fail make an AggregateError, which has no words of its own.
  const message = error.message || code || error.name
  return code === undefined ? { message } : { message, code }
}
