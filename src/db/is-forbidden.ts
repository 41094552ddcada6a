import { DatabaseError } from 'pg'

/** Whether this role may not do it; https://www.postgresql.org/docs/current/errcodes-appendix.html: insufficient_privilege. */
export function isForbidden(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '42501'
}
