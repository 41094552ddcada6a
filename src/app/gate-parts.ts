import type { Config } from '../config/config.ts'
import { createRulesCache, type GateParts } from '../core/call/gate/call-context.ts'
import type { Reviewer } from '../core/turn/turn-context.ts'
import type { Model } from '../ports/model.ts'
import { createPolicy } from '../rules/gate/policy/create-policy.ts'
import type { Policy } from '../rules/gate/policy/policy.ts'
import type { ReviewRules } from '../rules/gate/review/review.ts'
import { redactExactly } from '../rules/output/redact-exactly.ts'
import { sha256 } from '../util/digest.ts'
import { createProductRedactor } from './logs/create-product-redactor.ts'
import { commandNetwork } from './settings/command-network.ts'
import { operatorRules, webRulesOf } from './settings/operator-rules.ts'
import { allowedPathsOf, protectedPathsOf } from './settings/paths.ts'
import { reviewingModel } from './settings/reviewing-model.ts'

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

/** POL-05: returns how the gate applies reviews; undefined if calls are not reviewed. */
export function reviewRulesOf(config: Config): ReviewRules | undefined {
  const { enabled, policy, blockOnReject, failOpen, exemptTools } = config.tools.adversarialPolicy
  if (!enabled) return undefined
  const model = reviewingModel(config)
  const reviewer = sha256(JSON.stringify([model?.provider, model?.name, policy]))
  return { reviewer, blockOnReject, failOpen, exemptTools }
}

/** Builds the reviewer of calls. Throws if reviews are enabled and no model was opened for them. */
export function reviewerOf(config: Config, model: Model | undefined): { reviewer?: Reviewer } {
  const { enabled, policy, timeoutMs } = config.tools.adversarialPolicy
  if (!enabled) return {}
  if (model === undefined)
    throw new Error('calls are to be reviewed, and no model was opened for it')
  const redactor = createProductRedactor(config)
  const hideSecrets = (text: string) => redactExactly(text, redactor)
  return { reviewer: { model, policy, timeoutMs, hideSecrets } }
}
