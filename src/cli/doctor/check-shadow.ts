import { createRulesFile } from '../../adapters/permissions/file-store.ts'
import { shadowFaults } from '../../app/open-shadow-rules.ts'
import type { Config } from '../../config/config.ts'
import { type Finding, ok, warn } from './finding.ts'

/** Checks the shadow rules, if configured. */
export async function checkShadow({ tools }: Config): Promise<readonly Finding[]> {
  const path = tools.shadowPermissions
  if (path === undefined) return []
  const [fault] = shadowFaults(await createRulesFile(path)().catch(() => undefined))
  if (fault === undefined) return [ok('shadow rules', `are compared: ${path}`)]
  const mend = 'mend the file, or take shadow_permissions out of [tools]'
  return [warn('shadow rules', `nothing is compared with ${path}: ${fault}`, mend)]
}
