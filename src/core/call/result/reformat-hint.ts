import { findMisusedTools } from '../../../db/call/misused-tools.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import { isQualityFailure, type ToolError } from '../../../domain/tool/tool-error.ts'
import { nearestNames } from '../../../rules/tools/nearest-names.ts'
import { offeredToModels } from '../../../rules/tools/registry.ts'
import { schemaHint } from '../../../rules/tools/schema-hint.ts'
import type { CallContext } from '../gate/call-context.ts'

type Asked = Pick<ToolCallRow, 'turn_id' | 'message_id' | 'tool' | 'edited_by'>

/**
 * ERR-04: what helps a model to ask better, once a turn for each tool: a second failure has none. undefined too for what is
 * not the model's doing. Call under the session's lock, before the call is settled.
 */
export async function reformatHint(
  ctx: CallContext,
  db: Db,
  call: Asked,
  error: ToolError,
): Promise<string | undefined> {
  if (call.message_id === null || call.edited_by !== null) return undefined
  const [hint] = await reformatHints(ctx, db, call.turn_id, [{ tool: call.tool, error }])
  return hint
}

/** The same for calls of one message, in its order; those without an error have not failed. */
export async function reformatHints(
  ctx: CallContext,
  db: Db,
  turnId: string,
  calls: readonly { readonly tool: string; readonly error: ToolError | undefined }[],
): Promise<readonly (string | undefined)[]> {
  const isWrong = calls.map(({ error }) => error !== undefined && isQualityFailure(error.category))
  if (!isWrong.includes(true)) return []
  const misused = new Set(await findMisusedTools(db, turnId))
  return calls.map(({ tool, error }, at) => {
    if (isWrong[at] !== true || misused.has(tool)) return undefined
    misused.add(tool)
    return hintFor(ctx, tool, error)
  })
}

/** The tool's schema, or nothing where it is hidden (SCH-03); for a name that no tool has the nearest ones. */
function hintFor(
  { tools, settings }: CallContext,
  name: string,
  error: ToolError | undefined,
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
