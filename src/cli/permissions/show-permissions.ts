import { findRules } from '../../app/find-rules.ts'
import type { CommandInput } from '../../app/with-database.ts'
import { type CheckedRules, checkRules } from '../../rules/gate/permissions/check-rules.ts'
import { defaultPermissions } from '../../rules/gate/permissions/default-permissions.ts'

/** Current rules of a worker. */
export interface PermissionsView extends CheckedRules {
  /** Path of the file, or a description of the database row. */
  readonly path: string
  /** False if the worker has not run yet, so that the defaults apply. */
  readonly isThere: boolean
  readonly text: string
  /** File with rules that is ignored, because the rules are kept in the database. */
  readonly unread?: string
}

/** Reads the rules of `worker`, by default the configured one. Creates none. */
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
