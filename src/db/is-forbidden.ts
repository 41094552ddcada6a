import { DatabaseError } from 'pg'

/** True for the SQLSTATE insufficient_privilege: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isForbidden(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '42501'
}
