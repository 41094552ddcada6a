import { RedisRefused } from '../../adapters/queue/redis-error.ts'
import { SandboxUnavailable } from '../../adapters/sandbox/sandbox-options.ts'
import { DataDirectoryInUse, EmbeddedPostgresError } from '../../db/embedded/errors.ts'
import { LineageError } from '../../db/lineage/compare-lineage.ts'
import { CommandError } from '../../domain/command-error.ts'
import { clauseOf, type ErrorCode } from '../../domain/error-codes.ts'
import { postgresStates } from '../../domain/postgres-states.ts'
import { ModelError } from '../../ports/model.ts'

/**
 * Explains an error that a person can fix, such as an unreachable database or an unreadable file; undefined for bugs.
 * Explanations contain no passwords.
 */
export function explainError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error
  if (!(error instanceof Error)) return undefined
  const plain = plainCode(error)
  const [code, words] = plain === undefined ? (explainCode(error) ?? []) : [plain, error.message]
  if (code === undefined || words === undefined) return explainError(error.cause)
  return new CommandError(words, { code, cause: error })
}

/** Returns the code of an error whose message is written for people. */
function plainCode(error: Error): ErrorCode | undefined {
  if (error instanceof DataDirectoryInUse) return 'DATA_DIRECTORY_IN_USE'
  if (error instanceof EmbeddedPostgresError) return 'POSTGRES_UNUSABLE'
  if (error instanceof LineageError) return 'DATABASE_OTHER_VERSION'
  if (error instanceof SandboxUnavailable) return 'SANDBOX_UNAVAILABLE'
  if (error instanceof ModelError)
    return error.kind === 'refused' ? 'MODEL_REFUSED' : 'MODEL_FAILED'
  return error instanceof RedisRefused ? 'REDIS_UNUSABLE' : undefined
}

type Explanation = readonly [ErrorCode, string]

function explainCode(error: Error): Explanation | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'ERR_MODULE_NOT_FOUND')
    return ['INSTALLATION_CHANGED', `${clauseOf('INSTALLATION_CHANGED')} (${error.message})`]
  const state =
    code.length === 5 ? (postgresStates[code] ?? postgresStates[code.slice(0, 2)]) : undefined
  if (state === 'DATABASE_FAILED') return [state, `the database said: ${error.message}`]
  if (state !== undefined) return [state, clauseOf(state)]
  if (connectionCodes.has(code)) return unreachable(error.message || code)
  if (error.message === connectTimeout) return unreachable('no answer within 15 s')
  return fileCodes.has(code) ? ['FILE_FAILED', error.message] : undefined
}

function unreachable(why: string): Explanation {
  return ['DATABASE_UNREACHABLE', `cannot reach the database: ${why}`]
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
