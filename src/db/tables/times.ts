import type { ColumnType } from 'kysely'

/** Time set by the database when the row is inserted. */
export type CreatedAt = ColumnType<Date, Date | undefined, never>
/** Nullable time. */
export type NullableTime = ColumnType<Date | null, Date | null | undefined, Date | null>
