import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { isForbidden } from '../is-forbidden.ts'
import type { Db } from '../schema.ts'

const iterations = 4096

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

/**
 * What PostgreSQL stores of a password (RFC 5803), made here so that the password itself is in no statement and no log of the
 * server. Throws for a password outside printable ASCII, which would have to be normalised first.
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
