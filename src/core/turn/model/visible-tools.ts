import type { TurnRow } from '../../../db/schema.ts'
import type { ModelTool } from '../../../ports/model.ts'
import { type GateFacts, isHidden } from '../../../rules/gate/gate.ts'
import { offeredToModels } from '../../../rules/tools/registry.ts'
import { shownSchema } from '../../../rules/tools/shown/shown-schema.ts'
import { toolSearchTool } from '../../../rules/tools/tool-search.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { shownTools } from '../../call/gate/shown-tools.ts'
import type { TurnKernel } from '../turn-kernel.ts'

/**
 * REG-04, SCH-02, SCH-03: the tools a model is shown in a step, sorted by name so that the rendered prefix stays the same
 * (MODEL-01). Within a turn they only become more, unless a rule takes one away.
 */
export function visibleTools(kernel: TurnKernel, facts: GateFacts, turn: TurnRow): ModelTool[] {
  const { toolsEnabled, toolView } = kernel.settings
  if (!toolsEnabled) return []
  tellWaiting(kernel, facts, turn)
  const shown = shownTools(turn)
  const isChosen = ({ name }: ToolSpec): boolean =>
    name === toolSearchTool.name ? shown !== 'all' : shown === 'all' || shown.has(name)
  return offeredToModels(kernel.tools)
    .filter((spec) => isChosen(spec) && !facts.unmet?.has(spec.name) && !isHidden(spec, facts))
    .map((spec) => ({
      name: spec.name,
      description: spec.description,
      schema: shownSchema(spec, toolView?.thinkingFrom),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** SCH-03: which tools are held back, and what for. */
function tellWaiting({ log }: TurnKernel, { unmet }: GateFacts, { id, step }: TurnRow): void {
  if (unmet === undefined || unmet.size === 0) return
  log.debug({ turn: id, step, exclusions: [...unmet.values()] }, 'tools wait for others')
}
