import type { Config } from '../config/config.ts'
import { createWebTools, type WebTools } from '../worker/web/create-web-tools.ts'
import { webRulesOf } from './settings/operator-rules.ts'

/** Opens the web tools with the configured limits. */
export function openWebTools(config: Config): WebTools {
  const { timeoutMs, maxBodyBytes } = config.tools.scrape
  return createWebTools({ rules: webRulesOf(config), timeoutMs, maxBodyBytes, now: Date.now })
}
