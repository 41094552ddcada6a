import { sql } from 'kysely'
import type { Check } from '../../adapters/http/health-route.ts'
import type { Db } from '../../db/schema.ts'

/** Checks that the database answers. Details go to the log, not to HTTP clients. */
export function checkDatabase(db: Db): Check {
  return async () => {
    await sql`select 1`.execute(db)
    return undefined
  }
}
