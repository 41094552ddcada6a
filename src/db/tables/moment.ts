import type { ColumnType } from 'kysely'

/** A time that the database sets when the row is made. */
export type Made = ColumnType<Date, Date | undefined, never>
/** A time that may not have come. */
export type Moment = ColumnType<Date | null, Date | null | undefined, Date | null>
