import type { Config } from '../config/config.ts'
import type { GateParts } from '../core/call/gate/load-facts.ts'
import { createRulesCache } from '../core/call/gate/rules-cache.ts'
import { createPolicy } from '../rules/gate/policy/create-policy.ts'
import type { Policy } from '../rules/gate/policy/policy.ts'
import { reviewRulesOf } from './review-rules.ts'
import { allowedPathsOf } from './settings/allowed-paths.ts'
import { commandNetwork } from './settings/command-network.ts'
import { operatorRules } from './settings/operator-rules.ts'
import { protectedPathsOf } from './settings/protected-paths.ts'
import { webRulesOf } from './settings/web-rules-of.ts'

/** Builds the gate's configuration. Throws if the operator's rules are invalid. */
export function gatePartsOf(config: Config): GateParts {
  const { file, shell } = config.tools
  return {
    parseRules: createRulesCache(),
    operator: operatorRules(config),
    policy: policyOf(config),
    variables: new Set(config.policyVariables),
    reviews: reviewRulesOf(config),
    web: webRulesOf(config),
    files: {
      allowed: allowedPathsOf(config, file.allowedPaths),
      denyRead: file.denyRead,
      allowRead: file.allowRead,
    },
    commands: {
      allowed: allowedPathsOf(config, shell.allowedPaths),
      network: shell.allowNetwork,
      hasNetwork: commandNetwork(config) !== undefined,
    },
    protectedPaths: protectedPathsOf(config),
  }
}

function policyOf({ tools }: Config): Policy | undefined {
  const result = createPolicy(tools)
  if (result.kind === 'damaged') throw new Error(`[tools] ${result.problems.join('\n')}`)
  return result.kind === 'policy' ? result.policy : undefined
}
