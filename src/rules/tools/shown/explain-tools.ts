import type { ToolDependencies, ToolView } from '../../../domain/tool/tool-view.ts'
import { toolJsonSchema } from '../json-schema.ts'
import { toolSearchTool } from '../tool-search.ts'
import type { ToolSpec } from '../tool-spec.ts'
import { chooseTools } from './choose-tools.ts'
import { thinksFirst } from './shown-schema.ts'
import { complexityOf, describeReason, type ToolChoice, type ToolScore } from './tool-choice.ts'
import { boostOf, describeUnmet, unmetRequirements } from './unmet-requirements.ts'

/** The facts that decide which tools a model is shown for a message. */
export interface ToolsToExplain {
  /** All tools offered to models. */
  readonly tools: readonly ToolSpec[]
  readonly view: ToolView
  readonly message: string
  /** REG-04: whether rules, policy or trust hide a tool from models. */
  readonly isHidden: (spec: ToolSpec) => boolean
  readonly succeeded: ReadonlySet<string>
  readonly used: ReadonlySet<string>
  readonly similarities: ReadonlyMap<string, number> | undefined
}

/** One tool, and whether a model is shown it. */
export interface ExplainedTool {
  readonly tool: string
  readonly isShown: boolean
  /** The reason, for people. */
  readonly why: string
  readonly score?: ToolScore
  readonly requires: readonly Dependency[]
  readonly prefers: readonly Dependency[]
  /** SCH-01: 0 to 1. */
  readonly complexity: number
  readonly thinksFirst: boolean
}

export interface Dependency {
  readonly tool: string
  readonly hasSucceeded: boolean
}

/** SCH-01 to SCH-03: explains which tools a model would be shown for a message, sorted by name. */
export function explainTools(asked: ToolsToExplain): readonly ExplainedTool[] {
  const { tools, view, succeeded } = asked
  const waiting = unmetRequirements(view.dependencies ?? { rules: {} }, succeeded)
  const choices = choicesOf(asked, new Set(waiting.keys()))
  const isFiltered = [...choices.values()].some(({ isShown }) => !isShown)
  const explained = tools.map((spec): ExplainedTool => {
    const unmet = waiting.get(spec.name)
    const choice = choices.get(spec.name)
    return {
      tool: spec.name,
      ...standingOf(spec, asked.isHidden(spec), unmet && describeUnmet(unmet), choice, isFiltered),
      ...(choice?.score !== undefined && { score: choice.score }),
      ...dependenciesOf(spec.name, view.dependencies, succeeded),
      complexity: complexityOf(toolJsonSchema(spec)),
      thinksFirst: thinksFirst(spec, view.thinkingFrom),
    }
  })
  return explained.sort((a, b) => (a.tool < b.tool ? -1 : 1))
}

/** The choices by name, made as in a turn. */
function choicesOf(
  { tools, view, message, isHidden, succeeded, used, similarities }: ToolsToExplain,
  waiting: ReadonlySet<string>,
): ReadonlyMap<string, ToolChoice> {
  const { filter, dependencies } = view
  if (filter === undefined || tools.some((spec) => spec === toolSearchTool && isHidden(spec)))
    return new Map()
  const candidates = tools.filter((spec) => spec !== toolSearchTool && !isHidden(spec))
  const choices = chooseTools({
    tools: candidates,
    message,
    used,
    waiting,
    similarities,
    boostOf: (tool) => boostOf(tool, dependencies, succeeded),
    filter,
  })
  return new Map(choices.map((choice) => [choice.tool, choice]))
}

function standingOf(
  spec: ToolSpec,
  isHidden: boolean,
  waits: string | undefined,
  choice: ToolChoice | undefined,
  isFiltered: boolean,
): Pick<ExplainedTool, 'isShown' | 'why'> {
  if (isHidden) return { isShown: false, why: 'rules, policy or trust keep it from models' }
  if (waits !== undefined) return { isShown: false, why: waits }
  if (spec === toolSearchTool) {
    return {
      isShown: isFiltered,
      why: isFiltered ? 'finds the others' : 'there is nothing to find',
    }
  }
  if (choice === undefined) return { isShown: true, why: 'nothing is filtered' }
  return { isShown: choice.isShown, why: describeReason(choice.why) }
}

function dependenciesOf(
  tool: string,
  dependencies: ToolDependencies | undefined,
  succeeded: ReadonlySet<string>,
): Pick<ExplainedTool, 'requires' | 'prefers'> {
  const rules = dependencies?.rules ?? {}
  const rule = Object.hasOwn(rules, tool) ? rules[tool] : undefined
  const toDependency = (name: string) => ({ tool: name, hasSucceeded: succeeded.has(name) })
  return {
    requires: (rule?.requires ?? []).map(toDependency),
    prefers: (rule?.prefers ?? []).map(toDependency),
  }
}
