import type { PermissionsStore } from '../ports/permissions-store.ts'
import { allowsEverything } from '../rules/gate/permissions/allows-everything.ts'
import { parsePermissions } from '../rules/gate/permissions/parse-permissions.ts'

/** What people should know of a worker's rules as they are now, in plain words. */
export async function rulesWarnings(
  permissions: PermissionsStore,
  worker: string,
): Promise<readonly string[]> {
  const { text } = await permissions.load(worker)
  const rules = parsePermissions(text, { home: '/workspace' })
  const path = permissions.describe(worker)
  if (allowsEverything(rules)) {
    return [`the rules in ${path} allow everything; nothing asks, commands included.`]
  }
  if (rules.kind !== 'damaged') return []
  return rules.problems.map(
    ({ line, message }) => `${path}, line ${line}: ${message}. Until it is mended everything asks.`,
  )
}
