import { isIP } from 'node:net'
import { percentDecoded } from '../../util/text/percent-decoded.ts'
import { RedisRefused } from './redis-error.ts'

/** Address of a Redis, with the field names of ioredis. */
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
 * Parses `redis://user:password@host:port/database`, or `rediss` for TLS. Host, port and database are optional. Throws
 * RedisRefused; the message contains no part of the URL, as a malformed one may have the password anywhere.
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

/** The address for messages, without credentials. */
export function showRedisAddress({ host, port }: RedisAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function databaseOf(path: string): number {
  const [, number] = /^\/?(\d{0,9})$/.exec(path) ?? []
  if (number === undefined)
    throw new RedisRefused('the database in the address of Redis is no number')
  return Number(number)
}

/** A user may have no password. */
function credentialsOf({ username, password }: URL): { username?: string; password?: string } {
  if (username === '' && password === '') return {}
  return {
    ...(username !== '' && { username: percentDecoded(username) }),
    password: percentDecoded(password),
  }
}
