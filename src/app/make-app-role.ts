import type { Secret } from '../config/secrets.ts'
import { openDatabase } from '../db/database.ts'
import { grantAppRole } from '../db/roles/grant-roles.ts'
import { type AppLogin, setPassword } from '../db/roles/set-password.ts'
import type { Db } from '../db/schema.ts'
import { CommandError } from '../domain/command-error.ts'

/**
 * AUD-02: creates the role of gateways and agents, which can only append to the audit. If this role may not set its
 * password, verifies that it has it.
 */
export async function makeAppRole(db: Db, url: Secret): Promise<void> {
  const login = toLogin(url)
  try {
    await grantAppRole(db, login.role)
    if (await setPassword(db, login)) return
  } catch (error) {
    throw failed(messageOf(error), error)
  }
  await logIn(url, login.role)
}

/** Parses the URL. Errors of parsers are not passed on, since they may quote the URL. */
function toLogin(url: Secret): AppLogin {
  const { username, password } = parse(url) ?? {}
  if (username === undefined || password === undefined) {
    throw failed('it is no URL, or has a % that is not followed by two digits (%25 means %)')
  }
  if (username === '' || password === '') throw failed('it names no user, or no password')
  return { role: username, password }
}

function parse(url: Secret) {
  try {
    const { username, password } = new URL(url.reveal())
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return undefined
  }
}

async function logIn(url: Secret, role: string): Promise<void> {
  await using app = openDatabase({ url: url.reveal() }, { max: 1 })
  try {
    await app.pool.query('select')
  } catch (error) {
    const why = `this role may not set the password of ${role}, and with that of the URL one cannot log in (${messageOf(error)}): let a role that may set it, or correct the URL`
    throw new CommandError(`${why}. The steps of the database are taken, and the rights given.`, {
      code: 'DATABASE_ROLE',
      cause: error,
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function failed(why: string, cause?: unknown): CommandError {
  return new CommandError(
    `the role of COUNTERSIGN_APP_DATABASE_URL cannot be made: ${why}. The steps of the database are taken.`,
    { code: 'DATABASE_ROLE', cause },
  )
}
