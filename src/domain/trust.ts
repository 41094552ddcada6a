/** POL-03: trust levels of a tool. `trusted` is the default; policy rules can treat `verified` tools differently. */
export const trustLevels = ['trusted', 'verified', 'quarantined', 'blocked'] as const

/** `quarantined` asks before every call, `blocked` runs nothing. */
export type TrustLevel = (typeof trustLevels)[number]

/** Trust levels by tool name, except `trusted`. */
export type ToolTrust = ReadonlyMap<string, TrustLevel>

export function trustOf(trust: ToolTrust | undefined, tool: string): TrustLevel {
  return trust?.get(tool) ?? 'trusted'
}

/** Results of the calls of one tool by one model, as far as they depend on the model. */
export interface ToolUse {
  readonly successes: number
  /** Calls that failed because of the model's own mistakes (ERR-01). */
  readonly qualityFailures: number
}

/** ERR-06: share of successful calls, from 1 down to 0, with one success added so that a new tool starts at 1. */
export function reliabilityOf({ successes, qualityFailures }: ToolUse): number {
  return (successes + 1) / (successes + qualityFailures + 1)
}
