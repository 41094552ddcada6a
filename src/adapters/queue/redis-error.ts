import { isConnectionLoss } from '../../util/has-code.ts'

/** An invalid address, or a Redis that cannot be used as it is configured. The message is for the operator. */
export class RedisRefused extends Error {
  override readonly name = 'RedisRefused'
}

/** Creates an error that counts as a refused connection. */
export function redisUnreachable(words: string): Error {
  return Object.assign(new Error(words), { code: 'ECONNREFUSED' })
}

/** Error codes of Redis that describe its state rather than the command. */
const stateCodes =
  /\b(READONLY|OOM|MISCONF|NOPERM|NOAUTH|WRONGPASS|NOREPLICAS|MASTERDOWN|LOADING|BUSY|UNBLOCKED|CLUSTERDOWN)\b/

/**
 * Whether an error is due to the state of Redis: unreachable, full, read-only, password changed. Errors with a textual code
 * concern the connection, including TLS.
 */
export function isRedisStateError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isOfConnection = 'code' in error && typeof error.code === 'string'
  return isOfConnection || isConnectionLoss(error) || stateCodes.test(error.message)
}

/**
 * A copy of an error without the properties that ioredis adds: the failed command with its arguments, which are jobs or the
 * password. The password is also removed from the message, as a server that is not Redis may echo it.
 */
export function withoutSecrets(error: unknown, password: string | undefined): Error {
  const { message, code } = messageOf(error)
  const plain = new Error(password ? message.replaceAll(password, '[secret]') : message)
  return code === undefined ? plain : Object.assign(plain, { code })
}

function messageOf(error: unknown): { readonly message: string; readonly code?: string } {
  if (!(error instanceof Error)) return { message: 'something that is no error was thrown' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  // If all addresses of a host fail, the AggregateError has no message.
  const message = error.message || code || error.name
  return code === undefined ? { message } : { message, code }
}
