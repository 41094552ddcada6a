import type { ModelTool } from '../../ports/model.ts'
import { type GateFacts, isHidden } from '../../rules/gate/gate.ts'
import { toolJsonSchema } from '../../rules/tools/json-schema.ts'
import { offeredToModels } from '../../rules/tools/registry.ts'
import type { TurnKernel } from './turn-kernel.ts'

/** REG-04: the tools a model is shown, sorted by name so that the rendered prefix stays the same (MODEL-01). */
export function visibleTools(kernel: TurnKernel, facts: GateFacts): ModelTool[] {
  if (!kernel.settings.toolsEnabled) return []
  return offeredToModels(kernel.tools)
    .filter((spec) => !isHidden(spec, facts))
    .map((spec) => ({
      name: spec.name,
      description: spec.description,
      schema: toolJsonSchema(spec),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
