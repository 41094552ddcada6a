import { isIP } from 'node:net'
import { percentDecoded } from '../../util/text/percent-decoded.ts'
import { RedisRefused } from './redis-error.ts'

/** Where a Redis is, in the words of ioredis. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly username?: string
  readonly password?: string
  readonly tls?: { readonly servername?: string }
}

const schemes = ['redis:', 'rediss:']

/**
 * Reads `redis://user:password@host:port/database`; `rediss` is the same over TLS. Host, port and database may be
 * left out. Throws RedisRefused with words that hold nothing of the address, since a password may stand anywhere in a bad one.
 */
export function parseRedisAddress(url: string): RedisAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !schemes.includes(parsed.protocol)) {
    throw new RedisRefused('the address of Redis is no URL that begins with redis:// or rediss://')
  }
  if (parsed.search !== '' || parsed.hash !== '') {
    throw new RedisRefused(
      'the address of Redis holds more than user, password, host, port and database',
    )
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost'
  return {
    host,
    port: Number(parsed.port || 6379),
    db: databaseOf(parsed.pathname),
    ...credentialsOf(parsed),
    ...(parsed.protocol === 'rediss:' && { tls: isIP(host) ? {} : { servername: host } }),
  }
}

/** The address for people, without its secrets. */
export function showRedisAddress({ host, port }: RedisAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function databaseOf(path: string): number {
  const [, number] = /^\/?(\d{0,9})$/.exec(path) ?? []
  if (number === undefined)
    throw new RedisRefused('the database in the address of Redis is no number')
  return Number(number)
}

/** A user without a password is one that needs none. */
function credentialsOf({ username, password }: URL): { username?: string; password?: string } {
  if (username === '' && password === '') return {}
  return {
    ...(username !== '' && { username: percentDecoded(username) }),
    password: percentDecoded(password),
  }
}
