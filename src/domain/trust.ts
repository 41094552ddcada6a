/** POL-03: trust levels of a tool. `trusted` is the default; policy rules can treat `verified` tools differently. */
export const trustLevels = ['trusted', 'verified', 'quarantined', 'blocked'] as const

/** `quarantined` asks before every call, `blocked` runs nothing. */
export type TrustLevel = (typeof trustLevels)[number]

/** Trust levels by tool name, except `trusted`. */
export type ToolTrust = ReadonlyMap<string, TrustLevel>

export function trustOf(trust: ToolTrust | undefined, tool: string): TrustLevel {
  return trust?.get(tool) ?? 'trusted'
}
