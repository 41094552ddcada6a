import { type RawBuilder, sql } from 'kysely'
import { DatabaseError } from 'pg'

/**
 * Renders values as SQL literals. Statements are planned before their parameters are known, so only a literal lets the
 * plan use a partial index (and ON CONFLICT name one), as with `sql.lit`.
 */
export function literals<const T extends string>(values: readonly T[]): readonly RawBuilder<T>[] {
  return values.map((value) => sql.lit(value))
}

/** True for the SQLSTATE insufficient_privilege: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isForbidden(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '42501'
}
