import { findOverflow } from '../../db/overflow.ts'
import type { Db } from '../../db/schema.ts'
import { formatToolError, type ToolErrorCategory } from '../../domain/tool-error.ts'
import { toolSearchTool } from '../../rules/tools/tool-search.ts'
import type { CallKernel, Scope } from './call-kernel.ts'
import type { LoadedFacts } from './load-facts.ts'
import { overflowWindow } from './overflow-window.ts'
import { searchLines } from './search-lines.ts'
import { searchTools } from './search-tools.ts'

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
  facts: LoadedFacts,
  { tool, args }: { readonly tool: string; readonly args: Args },
): Promise<AgentAnswer> {
  if (tool === toolSearchTool.name) {
    const text = await searchTools(kernel, db, scope, facts, String(args['query']))
    return { text, isError: false, category: null }
  }
  if (tool !== 'read_overflow') return failed('permanent_failure', `${tool} cannot run here`)
  const id = String(args['id'])
    .replace(/^overflow:/, '')
    .toLowerCase()
  const days = kernel.settings.overflowRetentionDays
  const content = await findOverflow(db, scope.session.id, id, days)
  if (content === undefined) return failed('permanent_failure', `overflow:${id} was not found`)
  const found = await windowOf(content, args, kernel.settings.overflowThreshold)
  if (found.kind === 'refused') {
    return failed('invalid_parameters', `pattern: the regular expression ${found.why}`)
  }
  return { text: found.text, isError: false, category: null }
}

function failed(category: ToolErrorCategory, message: string): AgentAnswer {
  return { text: formatToolError({ category, message }), isError: true, category }
}

type Args = Readonly<Record<string, unknown>>

type Window =
  | { readonly kind: 'window'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string }

/** Some lines of the text, or some of those that match, and where they stand in the whole. */
async function windowOf(content: string, args: Args, room: number): Promise<Window> {
  const { pattern } = args
  if (typeof pattern !== 'string') {
    const lines = content.split('\n')
    const text = shownOf(lines, args, room, { row: 'line', rows: 'lines', all: `${lines.length}` })
    return { kind: 'window', text }
  }
  const found = await searchLines(content, pattern)
  if (found.kind === 'refused') return found
  const { lines, total } = found
  if (lines.length === 0) return { kind: 'window', text: `[no line of ${total} matches]` }
  const all = `${lines.length}, in ${total} lines`
  const text = shownOf(lines, args, room, { row: 'match', rows: 'matches', all })
  return { kind: 'window', text }
}

function shownOf(
  rows: readonly string[],
  args: Args,
  room: number,
  words: { readonly row: string; readonly rows: string; readonly all: string },
): string {
  const offset = Number(args['offset'] ?? 0)
  const limit = Number(args['limit'] ?? defaultWindow)
  const column = Number(args['column'] ?? 0)
  if (offset >= rows.length) {
    return `[nothing from ${words.row} ${offset + 1} on: there are ${words.all}]`
  }
  const { text, count, next } = overflowWindow(rows, { offset, limit, column, room })
  const lines = [`[${words.rows} ${offset + 1} to ${offset + count} of ${words.all}]`, text]
  return [...lines, ...(next === undefined ? [] : [next])].join('\n')
}
