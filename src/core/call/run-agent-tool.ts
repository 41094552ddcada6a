import { findOverflow } from '../../db/overflow.ts'
import type { Db } from '../../db/schema.ts'
import { formatToolError, type ToolErrorCategory } from '../../domain/tool-error.ts'
import { boundText } from '../../rules/output/cut-overflow.ts'
import type { CallKernel, Scope } from './call-kernel.ts'

export interface AgentAnswer {
  readonly text: string
  readonly isError: boolean
  readonly category: ToolErrorCategory | null
}

const defaultWindow = 500

/** Tools that work on this session's own rows, in the turn's transaction (DECISIONS 5). */
export async function runAgentTool(
  kernel: CallKernel,
  db: Db,
  scope: Scope,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<AgentAnswer> {
  if (tool !== 'read_overflow') return failed('permanent_failure', `${tool} cannot run here`)
  const id = String(args['id'])
    .replace(/^overflow:/, '')
    .toLowerCase()
  const days = kernel.settings.overflowRetentionDays
  const content = await findOverflow(db, scope.session.id, id, days)
  if (content === undefined) return failed('permanent_failure', `overflow:${id} was not found`)
  const { text } = boundText(windowOf(content, args), kernel.settings.overflowThreshold)
  return { text, isError: false, category: null }
}

function failed(category: ToolErrorCategory, message: string): AgentAnswer {
  return { text: formatToolError({ category, message }), isError: true, category }
}

/** Some lines of the text, and where they stand in the whole. */
function windowOf(content: string, args: Readonly<Record<string, unknown>>): string {
  const lines = content.split('\n')
  const offset = Number(args['offset'] ?? 0)
  const limit = Number(args['limit'] ?? defaultWindow)
  const shown = lines.slice(offset, offset + limit)
  const head = `[lines ${offset + 1} to ${offset + shown.length} of ${lines.length}]`
  return `${head}\n${shown.join('\n')}`
}
