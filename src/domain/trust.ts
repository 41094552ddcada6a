/** POL-03: how far a tool is trusted. `verified` differs from `trusted`, which all tools are, in what policy rules say of it. */
export const trustLevels = ['trusted', 'verified', 'quarantined', 'blocked'] as const

/** `quarantined` asks at every call, `blocked` runs nothing. */
export type TrustLevel = (typeof trustLevels)[number]

/** The levels of tools that are not just `trusted`, by name. */
export type ToolTrust = ReadonlyMap<string, TrustLevel>

export function trustOf(trust: ToolTrust | undefined, tool: string): TrustLevel {
  return trust?.get(tool) ?? 'trusted'
}
