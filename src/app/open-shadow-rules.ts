import { createRulesFile } from '../adapters/permissions/file-store.ts'
import type { Config } from '../config/config.ts'
import type { CallContext } from '../core/call/gate/call-context.ts'
import { checkRules } from '../rules/gate/permissions/check-rules.ts'
import type { Log } from '../util/log.ts'

/**
 * APPR-21: opens the shadow rules, if configured. A missing, unreadable or invalid file disables the comparison, which is
 * logged once until the file changes.
 */
export function openShadowRules(config: Config, log: Log): Pick<CallContext, 'shadowRules'> {
  const path = config.tools.shadowPermissions
  if (path === undefined) return {}
  const read = createRulesFile(path)
  let last: { readonly text: string | undefined; readonly isFit: boolean } | undefined
  const shadowRules = async () => {
    const text = await read().catch(() => undefined)
    if (last === undefined || last.text !== text) {
      const [fault] = shadowFaults(text)
      last = { text, isFit: fault === undefined }
      if (fault === undefined) log.info({ path }, 'shadow rules are evaluated')
      else log.warn({ path, fault }, 'shadow rules are not evaluated')
    }
    return last.isFit ? text : undefined
  }
  return { shadowRules }
}

/** Returns why rules cannot be used for comparison, with line numbers. */
export function shadowFaults(text: string | undefined): readonly string[] {
  if (text === undefined) return ['it is not there, or cannot be read']
  const { problems, failed } = checkRules(text)
  return [...problems, ...failed].map(({ line, message }) => `line ${line}: ${message}`)
}
