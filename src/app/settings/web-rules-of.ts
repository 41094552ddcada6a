import type { Config } from '../../config/config.ts'
import type { WebRules } from '../../rules/web/check-url.ts'

/** WEB-02: rules by which the gate judges URLs and the worker each redirect. */
export function webRulesOf({ tools }: Config): WebRules {
  const { allowedDomains, deniedDomains, allowedPorts } = tools.scrape
  return { allowedDomains, deniedDomains, allowedPorts }
}
