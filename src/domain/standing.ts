/** How calls of a tool that one model asked for ended, as far as that says something of the model. */
export interface ToolUse {
  readonly successes: number
  /** Calls that failed by the model's own doing (ERR-01). */
  readonly qualityFailures: number
}

/** ERR-06: how well a model uses a tool, from 1 down to 0: the share of its calls that worked, one that worked given to begin with. */
export function standingOf({ successes, qualityFailures }: ToolUse): number {
  return (successes + 1) / (successes + qualityFailures + 1)
}
