/** How to reach the embedded PostgreSQL: `host` is the directory of its socket. */
export interface SocketConnection {
  readonly host: string
  readonly user: string
  readonly database: string
}

/** The superuser of the embedded PostgreSQL, and the name of the one database in it. */
export const embeddedName = 'countersign'

/** The connection as a URL that libpq, pg and `URL` itself understand: the last takes no user without a host. */
export function toUrl({ host, user, database }: SocketConnection): string {
  const part = encodeURIComponent
  return `postgresql:///${part(database)}?host=${part(host)}&user=${part(user)}`
}
