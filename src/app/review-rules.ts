import type { Config } from '../config/config.ts'
import type { Reviewer } from '../core/turn/turn-context.ts'
import type { Model } from '../ports/model.ts'
import type { ReviewRules } from '../rules/gate/review/review.ts'
import { redactExactly } from '../rules/output/redact-exactly.ts'
import { sha256 } from '../util/sha256.ts'
import { createProductRedactor } from './logs/create-product-redactor.ts'
import { reviewingModel } from './settings/reviewing-model.ts'

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
