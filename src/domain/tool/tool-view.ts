/** SCH-01 to SCH-03: which tools models are shown, and how. What is undefined is switched off. */
export interface ToolView {
  readonly dependencies?: ToolDependencies | undefined
  readonly filter?: SchemaFilter | undefined
  /** The complexity, 0 to 1, from which a tool has a `thinking` field. */
  readonly thinkingFrom?: number | undefined
}

/** SCH-03: tools that need others first, or are likelier to be shown after them. */
export interface ToolDependencies {
  /** What each satisfied preference adds to a tool's score, 0 to 1. */
  readonly boostPerDep: number
  /** The most that preferences add. */
  readonly maxTotalBoost: number
  /** By the tool's name. */
  readonly rules: Readonly<Record<string, DependencyRule>>
}

export interface DependencyRule {
  readonly requires: readonly string[]
  readonly prefers: readonly string[]
}

/** SCH-02: the tools that a model is shown where there are many. */
export interface SchemaFilter {
  /** Up to so many tools are all shown. */
  readonly aboveTools: number
  /** The most tools chosen by their score. */
  readonly topK: number
  /** The least score of such a tool, 0 to 1. */
  readonly threshold: number
  /** Names of tools that are always shown. */
  readonly alwaysOn: readonly string[]
  /** Tools described in fewer words are always shown. */
  readonly minDescriptionWords: number
}
