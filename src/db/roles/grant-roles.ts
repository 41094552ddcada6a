import { sql } from 'kysely'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'
import { ensureRole } from './ensure-role.ts'
import { grantApp } from './grant-app.ts'
import { ensureReader, grantReader } from './grant-reader.ts'
import { waysToChangeAudit } from './ways-to-change-audit.ts'

/** The role the product works as in its own database: it can add to the audit, never change it (AUD-02). */
export const appRole = 'countersign_app'

/**
 * Makes the roles and gives them what they need, and no more; run by the owner after each migration, safe to repeat. Throws,
 * and changes nothing, where `role` could change the audit all the same.
 */
export async function grantAppRole(db: Db, role = appRole): Promise<void> {
  // At once: between two statements the app could do more than it may.
  await db.transaction().execute(async (owner) => {
    // PostgreSQL refuses to give rights on one thing from two sides at a time.
    await lockByName(owner, 'grant roles')
    await ensureRole(owner, role)
    const reader = await ensureReader(owner)
    await grantApp(owner, role)
    if (reader !== undefined) await grantReader(owner, reader)
    await grantConnect(owner, reader === undefined ? [role] : [role, reader])
    const ways = await waysToChangeAudit(owner, role)
    if (ways.length > 0) throw new Error(tooMighty(role, ways))
  })
}

function tooMighty(role: string, ways: readonly string[]): string {
  return `the role ${role} could change the audit whatever it is granted: it ${ways.join(', ')}, or belongs to such a role`
}

/**
 * Only these roles, and the owner, come into the database: another Countersign of the same server has roles of its own. Does
 * nothing where that is not for this role to say.
 */
async function grantConnect(db: Db, roles: readonly string[]): Promise<void> {
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
