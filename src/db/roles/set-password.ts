import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { isForbidden } from '../literals.ts'
import type { Db } from '../schema.ts'

const iterations = 4096

/** Login of processes that run apart from the database. */
export interface AppLogin {
  readonly role: string
  readonly password: string
}

/** Sets the password of a role; false if this role may not. Throws for a password that needs normalisation. */
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

/**
 * Computes the SCRAM verifier that PostgreSQL stores (RFC 5803), so that the password appears in no statement and no
 * server log. Throws for a password outside printable ASCII, which would need normalisation.
 */
function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  if (!/^[ -~]+$/.test(password)) throw new Error('the password is empty, or not printable ASCII')
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64')
  const serverKey = hmac(salted, 'Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
