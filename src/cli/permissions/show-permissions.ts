import { findRules } from '../../app/find-rules.ts'
import type { CommandInput } from '../../app/with-database.ts'
import { type CheckedRules, checkRules } from '../../rules/gate/permissions/check-rules.ts'
import { defaultPermissions } from '../../rules/gate/permissions/default-permissions.ts'

/** A worker's rules as they count now. */
export interface PermissionsView extends CheckedRules {
  /** Of the file, or words for the row of the database. */
  readonly path: string
  /** False where the worker has not run yet: then the defaults count. */
  readonly isThere: boolean
  readonly text: string
  /** A file that is there although the rules are kept in the database: nobody reads it. */
  readonly unread?: string
}

/** Reads a worker's rules, the configured one's unless named. Makes none. */
export async function showPermissions(
  input: CommandInput & { readonly signal: AbortSignal },
  worker = input.config.worker.name,
): Promise<PermissionsView> {
  const { path, text: found, unread } = await findRules(input, worker)
  const text = found ?? defaultPermissions
  return {
    path,
    isThere: found !== undefined,
    text,
    ...checkRules(text),
    ...(unread === undefined ? {} : { unread }),
  }
}
