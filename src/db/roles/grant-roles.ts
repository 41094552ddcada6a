import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'
import { ensureRole } from './ensure-role.ts'
import { grantApp } from './grant-app.ts'
import { grantConnect } from './grant-connect.ts'
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
