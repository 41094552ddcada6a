import type { ColumnType, Generated } from 'kysely'

export interface WorkerPermissionsTable {
  worker: string
  text: string
  /** Given by the database, anew at every change. */
  version: Generated<number>
  updated_at: ColumnType<Date, never, never>
  updated_by: string | null
}

/** What stood there before, the last hundred texts of each worker. */
export interface WorkerPermissionsPastTable {
  worker: string
  version: number
  text: string
  updated_at: Date
  updated_by: string | null
}
