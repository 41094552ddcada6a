import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/**
 * Only these roles, and the owner, come into the database: another Countersign of the same server has roles of its own. Does
 * nothing where that is not for this role to say.
 */
export async function grantConnect(db: Db, roles: readonly string[]): Promise<void> {
  const { rows } = await sql<{ database: string; may: boolean }>`
    select datname as database, pg_has_role(datdba, 'usage') as may
    from pg_database where datname = current_database()`.execute(db)
  const [here] = rows
  if (here === undefined || !here.may) return
  const database = sql.id(here.database)
  await sql`revoke connect on database ${database} from public`.execute(db)
  const names = sql.join(roles.map((role) => sql.id(role)))
  await sql`grant connect on database ${database} to ${names}`.execute(db)
}
