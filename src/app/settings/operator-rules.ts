import type { Config } from '../../config/config.ts'
import { operatorLayer } from '../../rules/gate/permissions/operator-layer.ts'
import type { RuleLayer } from '../../rules/gate/permissions/rule.ts'
import type { WebRules } from '../../rules/web/check-url.ts'

/** GATE-03: returns the operator's rules. Throws if they cannot be read. */
export function operatorRules(config: Config): RuleLayer {
  const { permissions = {}, shell } = config.tools
  const lists = {
    blocked_commands: shell.blockedCommands,
    confirm_patterns: shell.confirmPatterns,
  }
  const hasSection = config.tools.permissions !== undefined
  const result = operatorLayer({ permissions, shell: lists }, hasSection)
  if (result.kind === 'layer') return result.layer
  throw new Error(result.problems.map((problem) => problem.message).join('\n'))
}

/** WEB-02: rules by which the gate judges URLs and the worker each redirect. */
export function webRulesOf({ tools }: Config): WebRules {
  const { allowedDomains, deniedDomains, allowedPorts } = tools.scrape
  return { allowedDomains, deniedDomains, allowedPorts }
}
