import type { Config, NamedModel } from '../../config/config.ts'

/** POL-05: the model that reviews calls; undefined: `provider` names none. Asked only where reviews are on. */
export function reviewingModel(config: Config): Config['model'] | NamedModel | undefined {
  const { provider } = config.tools.adversarialPolicy
  if (provider === undefined) return config.model
  return Object.hasOwn(config.models, provider) ? config.models[provider] : undefined
}

/** Why calls cannot be reviewed as the operator wants, each in one line; empty when they can, or need not be. */
export function reviewProblems(config: Config): readonly string[] {
  const { enabled, provider } = config.tools.adversarialPolicy
  if (!enabled) return []
  const model = reviewingModel(config)
  if (model === undefined) {
    const known = Object.keys(config.models).join(', ') || 'none'
    return [
      `[tools.adversarial_policy] provider: “${provider}” names none of the models in [models.<name>] (there: ${known})`,
    ]
  }
  if (model.provider !== 'offline') return []
  return ['[tools.adversarial_policy] enabled: the offline model cannot review calls; name another']
}
