import { Redis } from 'ioredis'
import { isConnectionLoss } from '../../util/has-code.ts'
import { type RedisAddress, showRedisAddress } from './redis-address.ts'
import { endRedisClient, plainOptions } from './redis-client.ts'
import { RedisRefused, withoutSecrets } from './redis-error.ts'

/** Result of a successful probe. */
export interface RedisFacts {
  /** The address, without a password that the server does not require. */
  readonly address: RedisAddress
  /** Warnings for the operator, one sentence each. */
  readonly warnings: readonly string[]
}

/**
 * Checks a Redis step by step on a connection of its own, as ioredis reports only that the handshake failed. Throws
 * RedisRefused with the reason if it cannot be used, and a connection error if it cannot be reached.
 */
export async function probeRedis(
  address: RedisAddress,
  answerMs: number,
  signal: AbortSignal | undefined,
): Promise<RedisFacts> {
  const client = new Redis({
    ...plainOptions(address, answerMs),
    retryStrategy: () => null,
    enableReadyCheck: false,
    commandTimeout: answerMs,
  })
  let first: unknown
  client.on('error', (error) => {
    first ??= error
  })
  const stop = () => void endRedisClient(client)
  signal?.addEventListener('abort', stop)
  try {
    return await checkServer(client, address)
  } catch (error) {
    throw toRefusal(address, error instanceof RedisRefused ? error : (first ?? error))
  } finally {
    signal?.removeEventListener('abort', stop)
    await endRedisClient(client)
  }
}

async function checkServer(client: Redis, address: RedisAddress): Promise<RedisFacts> {
  await client.connect()
  const isRequired = await authenticate(client, address)
  if (address.db !== 0) await client.select(address.db)
  const info = parseInfo(await client.info())
  assertUsable(address, info)
  const { password: _, username: __, ...open } = address
  return isRequired
    ? { address, warnings: warningsAbout(info) }
    : { address: open, warnings: [unasked, ...warningsAbout(info)] }
}

const unasked = 'Redis asks for no password: the one in its address protects nothing'

/** False if the address has a password that the server does not require. */
async function authenticate(client: Redis, { username, password }: RedisAddress): Promise<boolean> {
  if (password === undefined) return true
  try {
    await client.call('AUTH', ...(username === undefined ? [password] : [username, password]))
    return true
  } catch (error) {
    if (error instanceof Error && isNotRequired(error.message)) return false
    throw error
  }
}

function isNotRequired(words: string): boolean {
  return /no password is set|without any password configured/.test(words)
}

type Info = Readonly<Partial<Record<string, string>>>

function parseInfo(text: string): Info {
  const lines = text.matchAll(/^([a-z_]+):(.*?)\r?$/gm)
  return Object.fromEntries([...lines].map(([, key, value]) => [key ?? '', value ?? '']))
}

/** The oldest version that BullMQ recommends; Valkey reports the Redis version it is compatible with. */
const minVersion = [6, 2] as const

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1])
}

function assertUsable(address: RedisAddress, info: Info): void {
  const at = `Redis at ${showRedisAddress(address)}`
  const version = info['redis_version']
  if (version !== undefined && isTooOld(version)) {
    throw new RedisRefused(
      `${at} is version ${version}: the queue needs ${minVersion.join('.')} or later`,
    )
  }
  if (info['role'] === 'slave' && info['slave_read_only'] !== '0') {
    throw new RedisRefused(`${at} is a read-only replica: give the address of its primary`)
  }
  if (info['redis_mode'] === 'cluster') {
    throw new RedisRefused(`${at} is part of a cluster: give the address of a Redis on its own`)
  }
}

function warningsAbout(info: Info): string[] {
  const policy = info['maxmemory_policy'] ?? 'noeviction'
  if (policy === 'noeviction') return []
  return [`Redis may throw jobs away: its maxmemory-policy is ${policy}, set it to noeviction`]
}

const refusals: readonly (readonly [RegExp, string])[] = [
  [/WRONGPASS|invalid password/, 'refuses the user or the password of its address'],
  [/NOAUTH/, 'asks for a password, and its address holds none'],
  [/NOPERM/, 'does not allow this user what the queue needs'],
  [/DENIED/, 'is in protected mode: give it a password'],
  [/DB index/, 'does not have the database that its address names'],
  [/certificate|self.signed|altname/i, 'shows a certificate that is not trusted'],
]

function toRefusal(address: RedisAddress, error: unknown): Error {
  if (error instanceof RedisRefused) return error
  const plain = withoutSecrets(error, address.password)
  if (isConnectionLoss(plain)) return plain
  const at = `Redis at ${showRedisAddress(address)}`
  const [, words] = refusals.find(([pattern]) => pattern.test(plain.message)) ?? []
  const message = `${at} ${words ?? 'cannot be used'} (${plain.message})`
  return new RedisRefused(message, { cause: plain })
}
