/** SCH-01 to SCH-03: selection and presentation of tools for a model. Undefined parts are disabled. */
export interface ToolView {
  readonly dependencies?: ToolDependencies | undefined
  readonly filter?: SchemaFilter | undefined
  /** Complexity, 0 to 1, at which a tool gets a `thinking` field. */
  readonly thinkingFrom?: number | undefined
}

/** SCH-03: tools that require others first, or rank higher after them. */
export interface ToolDependencies {
  /** Score, 0 to 1, added for each satisfied preference. */
  readonly boostPerDep: number
  /** Upper limit of the score added by preferences. */
  readonly maxTotalBoost: number
  /** Rules by tool name. */
  readonly rules: Readonly<Record<string, DependencyRule>>
}

export interface DependencyRule {
  readonly requires: readonly string[]
  readonly prefers: readonly string[]
}

/** SCH-02: selection of tools when there are many. */
export interface SchemaFilter {
  /** Up to this number, all tools are shown. */
  readonly aboveTools: number
  /** Maximum number of tools chosen by score. */
  readonly topK: number
  /** Minimum score of a chosen tool, 0 to 1. */
  readonly threshold: number
  /** Names of tools that are always shown. */
  readonly alwaysOn: readonly string[]
  /** Tools with shorter descriptions, in words, are always shown. */
  readonly minDescriptionWords: number
}
