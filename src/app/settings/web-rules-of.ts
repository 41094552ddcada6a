import type { Config } from '../../config/config.ts'
import type { WebRules } from '../../rules/web/check-url.ts'

/** WEB-02: what the gate judges URLs by, and the worker each hop. */
export function webRulesOf({ tools }: Config): WebRules {
  const { allowedDomains, deniedDomains, allowedPorts } = tools.scrape
  return { allowedDomains, deniedDomains, allowedPorts }
}
