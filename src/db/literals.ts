import { type RawBuilder, sql } from 'kysely'

/**
 * Values as parts of a statement's text. Statements are planned before their parameters are known: only a constant in
 * the text lets the plan use an index over the rows in that state (and an ON CONFLICT name one), as `sql.lit` does.
 */
export function literals<const T extends string>(values: readonly T[]): readonly RawBuilder<T>[] {
  return values.map((value) => sql.lit(value))
}
