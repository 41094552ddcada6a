import type { PermissionsStore } from '../ports/permissions-store.ts'
import { checkRules } from '../rules/gate/permissions/check-rules.ts'

/** What people should know of a worker's rules as they are now, in plain words. */
export async function rulesWarnings(
  permissions: PermissionsStore,
  worker: string,
): Promise<readonly string[]> {
  const { text } = await permissions.load(worker)
  const { problems, failed, allowsEverything } = checkRules(text)
  const path = permissions.describe(worker)
  if (allowsEverything) {
    return [`the gate is off: ${path}: they allow everything; nothing asks, commands included.`]
  }
  return [
    ...problems.map(
      ({ line, message }) =>
        `${path}, line ${line}: ${message}. Until it is mended everything asks.`,
    ),
    ...failed.map(
      ({ line, message }) =>
        `${path}, line ${line}, an example: ${message}. Until it holds, all that is not denied asks.`,
    ),
  ]
}
