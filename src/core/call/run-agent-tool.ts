import type { Db } from '../../db/schema.ts'
import type { ToolError, ToolErrorCategory } from '../../domain/tool/tool-error.ts'
import { readOverflowTool } from '../../rules/tools/read-overflow.ts'
import { toolSearchTool } from '../../rules/tools/tool-search.ts'
import type { CallKernel, Scope } from './gate/call-kernel.ts'
import type { LoadedFacts } from './gate/load-facts.ts'
import { findLeftOut } from './output/find-left-out.ts'
import { searchOverflow } from './output/search-overflow.ts'
import { type OverflowQuestion, showOverflow } from './output/show-overflow.ts'
import { searchTools } from './search-tools.ts'

export type AgentAnswer =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'error'; readonly error: ToolError }

const defaultWindow = 500

/** Tools that work on this session's own rows, in the turn's transaction (DECISIONS 5). */
export async function runAgentTool(
  kernel: CallKernel,
  db: Db,
  scope: Scope,
  facts: LoadedFacts,
  { tool, args }: { readonly tool: string; readonly args: Args },
): Promise<AgentAnswer> {
  if (tool === toolSearchTool.name) {
    const text = await searchTools(kernel, db, scope, facts, String(args['query']))
    return { kind: 'ok', text }
  }
  if (tool !== 'read_overflow') return failed('permanent_failure', `${tool} cannot run here`)
  const id = String(args['id'])
    .replace(/^overflow:/, '')
    .toLowerCase()
  const days = kernel.settings.overflowRetentionDays
  const content = await findLeftOut(db, scope.session.id, id, days)
  if (content === undefined) return failed('permanent_failure', `overflow:${id} was not found`)
  const shown = await shownOf(toQuestion(content, args, kernel.settings.overflowThreshold))
  if (shown.kind === 'window') return { kind: 'ok', text: shown.text }
  if (shown.kind === 'late') return failed('timeout', 'pattern: the search took too long')
  return failed('invalid_parameters', `pattern: the regular expression ${shown.why}`)
}

function failed(category: ToolErrorCategory, message: string): AgentAnswer {
  return { kind: 'error', error: { category, message } }
}

type Args = Readonly<Record<string, unknown>>

function toQuestion(content: string, args: Args, room: number): OverflowQuestion {
  const { pattern, offset = 0, limit = defaultWindow, column = 0 } = args
  return {
    content,
    pattern: typeof pattern === 'string' ? pattern : undefined,
    offset: Number(offset),
    limit: Number(limit),
    column: Number(column),
    room,
  }
}

async function shownOf(question: OverflowQuestion) {
  if (question.pattern === undefined) return showOverflow(question)
  return searchOverflow(question, readOverflowTool.timeoutMs)
}
