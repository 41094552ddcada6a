import { sql } from 'kysely'
import type { Check } from '../../adapters/http/health-route.ts'
import type { Db } from '../../db/schema.ts'

/** Whether the database answers. What it says is in the log, not for whoever asks over HTTP. */
export function checkDatabase(db: Db): Check {
  return async () => {
    await sql`select 1`.execute(db)
    return undefined
  }
}
