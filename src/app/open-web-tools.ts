import type { Config } from '../config/config.ts'
import { createWebTools, type WebTools } from '../worker/web/create-web-tools.ts'
import { webRulesOf } from './settings/web-rules-of.ts'

/** The web tools as the configuration bounds them. */
export function openWebTools(config: Config): WebTools {
  const { timeoutMs, maxBodyBytes } = config.tools.scrape
  return createWebTools({ rules: webRulesOf(config), timeoutMs, maxBodyBytes, now: Date.now })
}
