import { findMisusedTools } from '../../../db/call/model-tool-use.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import { isQualityFailure, type ToolError } from '../../../domain/tool/tool-error.ts'
import { nearestNames, schemaHint } from '../../../rules/tools/parse-arguments.ts'
import { offeredToModels } from '../../../rules/tools/registry.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { type CallContext, toolsOf } from '../gate/call-context.ts'

type HintedCall = Pick<ToolCallRow, 'worker' | 'turn_id' | 'message_id' | 'tool' | 'edited_by'>

/**
 * ERR-04: returns a hint for the model, once per turn and tool; none for later failures or errors not caused by the model. Call
 * under the session's lock, before the call is settled.
 */
export async function reformatHint(
  ctx: CallContext,
  db: Db,
  call: HintedCall,
  error: ToolError,
): Promise<string | undefined> {
  if (call.message_id === null || call.edited_by !== null) return undefined
  const tools = toolsOf(ctx, call)
  const place = { ctx, db, turnId: call.turn_id, tools }
  const [hint] = await reformatHints(place, [{ tool: call.tool, error }])
  return hint
}

/** The turn whose calls get hints, and the tools that its worker has. */
interface HintPlace {
  readonly ctx: CallContext
  readonly db: Db
  readonly turnId: string
  readonly tools: readonly ToolSpec[]
}

/** Returns hints for the calls of one message, in order; calls without an error get none. */
export async function reformatHints(
  { ctx, db, turnId, tools }: HintPlace,
  calls: readonly { readonly tool: string; readonly error: ToolError | undefined }[],
): Promise<readonly (string | undefined)[]> {
  const isWrong = calls.map(({ error }) => error !== undefined && isQualityFailure(error.category))
  if (!isWrong.includes(true)) return []
  const misused = new Set(await findMisusedTools(db, turnId))
  return calls.map(({ tool, error }, at) => {
    if (isWrong[at] !== true || misused.has(tool)) return undefined
    misused.add(tool)
    return hintFor(ctx.settings, tools, { tool, error })
  })
}

/** Returns the tool's schema, nothing if it is hidden (SCH-03), or the nearest names for an unknown tool. */
function hintFor(
  settings: CallContext['settings'],
  tools: readonly ToolSpec[],
  { tool: name, error }: { readonly tool: string; readonly error: ToolError | undefined },
): string | undefined {
  if (!settings.toolsEnabled) return undefined
  const offered = offeredToModels(tools)
  const spec = offered.find((tool) => tool.name === name)
  if (spec !== undefined) {
    return error?.category === 'tool_not_found' ? undefined : schemaHint(spec)
  }
  const names = offered.map((tool) => tool.name)
  return `nearest: ${nearestNames(name, names).join(', ')}`
}
