import type { Config, NamedModel } from '../../config/config.ts'
import type { ToolView } from '../../domain/tool/tool-view.ts'

/**
 * POL-05: returns the model that reviews calls; undefined if `provider` names no configured model. Call it only if
 * reviews are enabled.
 */
export function reviewingModel(config: Config): Config['model'] | NamedModel | undefined {
  const { provider } = config.tools.adversarialPolicy
  if (provider === undefined) return config.model
  return Object.hasOwn(config.models, provider) ? config.models[provider] : undefined
}

/** Returns the reasons why calls cannot be reviewed as configured, one line each; empty if they can or reviews are disabled. */
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

/** Returns which tools models are shown, by the configuration. */
export function toolViewOf({ tools }: Pick<Config, 'tools'>): ToolView {
  const { dependencies, schemaFilter, tafc } = tools
  return {
    dependencies: dependencies.enabled ? dependencies : undefined,
    filter: schemaFilter.enabled ? schemaFilter : undefined,
    thinkingFrom: tafc.enabled ? tafc.complexityThreshold : undefined,
  }
}
