/** Connection to the embedded PostgreSQL; `host` is the directory of its socket. */
export interface SocketConnection {
  readonly host: string
  readonly user: string
  readonly database: string
}

/** Name of the superuser of the embedded PostgreSQL and of its only database. */
export const embeddedName = 'countersign'

/**
 * Formats the connection as a URL that libpq, pg and `URL` accept. `URL` allows no user without a host, so both are
 * parameters.
 */
export function toUrl({ host, user, database }: SocketConnection): string {
  const part = encodeURIComponent
  return `postgresql:///${part(database)}?host=${part(host)}&user=${part(user)}`
}
