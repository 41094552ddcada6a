import { sql } from 'kysely'
import { isForbidden } from '../is-forbidden.ts'
import type { Db } from '../schema.ts'
import { scramVerifier } from './scram-verifier.ts'

/** As whom processes apart connect. */
export interface AppLogin {
  readonly role: string
  readonly password: string
}

/** False: this role may not. Throws for a password that PostgreSQL would have to normalise first. */
export async function setPassword(db: Db, { role, password }: AppLogin): Promise<boolean> {
  const verifier = sql.lit(scramVerifier(password))
  try {
    await sql`alter role ${sql.id(role)} login password ${verifier}`.execute(db)
    return true
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}
