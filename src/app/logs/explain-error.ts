import { RedisRefused } from '../../adapters/queue/redis-error.ts'
import { SandboxUnavailable } from '../../adapters/sandbox/sandbox-options.ts'
import { DataDirectoryInUse, EmbeddedPostgresError } from '../../db/embedded/errors.ts'
import { LineageError } from '../../db/lineage/compare-lineage.ts'
import { CommandError } from '../../domain/command-error.ts'
import { ModelError } from '../../ports/model.ts'

/**
 * Explains an error that a person can fix, such as an unreachable database or an unreadable file; undefined for bugs.
 * Explanations contain no passwords.
 */
export function explainError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error
  if (!(error instanceof Error)) return undefined
  const words = isPlain(error) ? error.message : explainCode(error)
  if (words === undefined) return explainError(error.cause)
  return new CommandError(words, { cause: error, exitCode: exitCodeOf(error) })
}

/** Returns 2 for a missing or refused key, which is a problem of the configuration. */
function exitCodeOf(error: Error): 1 | 2 {
  return error instanceof ModelError && error.kind === 'refused' ? 2 : 1
}

/** True for errors whose message is written for people. */
function isPlain(error: Error): boolean {
  return (
    error instanceof DataDirectoryInUse ||
    error instanceof EmbeddedPostgresError ||
    error instanceof LineageError ||
    error instanceof SandboxUnavailable ||
    error instanceof ModelError ||
    error instanceof RedisRefused
  )
}

function explainCode(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'ERR_MODULE_NOT_FOUND') return `${changedMeanwhile} (${error.message})`
  if (code in databaseWords) return databaseWords[code]
  if (/^(08|53|57)/.test(code) && code.length === 5) return `the database said: ${error.message}`
  if (connectionCodes.has(code)) return `cannot reach the database: ${error.message || code}`
  if (error.message === connectTimeout) return 'cannot reach the database: no answer within 15 s'
  return fileCodes.has(code) ? error.message : undefined
}

/** A file is loaded when it is first needed. */
const changedMeanwhile =
  'the installation was replaced or removed while this process ran: start it again'

/** Explanations by SQLSTATE, see PostgreSQL's appendix A. */
const databaseWords: Readonly<Record<string, string>> = {
  '28000': 'the database refuses this user: check DATABASE_URL',
  '28P01': 'the database refuses this password: check DATABASE_URL',
  '3D000': 'the server has no such database: check DATABASE_URL, or create it',
  '42P01': 'the database lacks tables that this version needs: run countersign migrate',
  '42703': 'the database lacks columns that this version needs: run countersign migrate',
  '42501': 'the database does not allow this user to do that: check the rights of its role',
  '57P01': 'the database was stopped meanwhile: try again',
  '57P03': 'the database is starting or stopping: try again',
}

/** Message of pg, which has no code. */
const connectTimeout = 'timeout expired'

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
])

const fileCodes = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ENOENT',
  'ENOSPC',
  'ENOTDIR',
  'EPERM',
  'EROFS',
])
