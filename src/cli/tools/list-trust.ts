import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { countWindow } from '../../db/call/tool-outcomes.ts'
import { findAllTrust } from '../../db/call/tool-trust.ts'
import type { TrustLevel } from '../../domain/trust.ts'
import { allTools } from '../../rules/tools/registry.ts'

/** Trust in a tool, with its last executions. */
export interface TrustedTool {
  readonly tool: string
  readonly level: TrustLevel
  /** Absent if the level was never set; the tool is then trusted. */
  readonly setBy?: string
  readonly setAt?: Date
  readonly reason?: string
  /** Executions within the window of `[tools.anomaly]`; both are 0 if it is disabled. */
  readonly executions: number
  readonly failed: number
}

/** POL-03: lists every built-in tool and every tool with a level, ordered by name. */
export function listTrust(
  input: CommandInput & { readonly signal: AbortSignal },
): Promise<readonly TrustedTool[]> {
  const { windowSize } = input.config.tools.anomaly
  return withDatabase(input, async ({ db }) => {
    const set = new Map((await findAllTrust(db)).map((row) => [row.tool, row]))
    const names = new Set([...allTools.map(({ name }) => name), ...set.keys()])
    const tools: TrustedTool[] = []
    for (const tool of [...names].sort()) {
      const row = set.get(tool)
      tools.push({
        tool,
        level: row?.level ?? 'trusted',
        ...(row === undefined ? {} : { setBy: row.set_by, setAt: row.set_at }),
        ...(row === undefined || row.reason === null ? {} : { reason: row.reason }),
        ...(await countWindow(db, tool, windowSize)),
      })
    }
    return tools
  })
}
