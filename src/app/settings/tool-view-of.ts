import type { Config } from '../../config/config.ts'
import type { ToolView } from '../../domain/tool/tool-view.ts'

/** Returns which tools models are shown, by the configuration. */
export function toolViewOf({ tools }: Pick<Config, 'tools'>): ToolView {
  const { dependencies, schemaFilter, tafc } = tools
  return {
    dependencies: dependencies.enabled ? dependencies : undefined,
    filter: schemaFilter.enabled ? schemaFilter : undefined,
    thinkingFrom: tafc.enabled ? tafc.complexityThreshold : undefined,
  }
}
