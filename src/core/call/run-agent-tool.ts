import { findOverflow } from '../../db/call/overflow.ts'
import type { Db } from '../../db/schema.ts'
import { findTranscriptPosition } from '../../db/turn/messages.ts'
import { findSummaryById } from '../../db/turn/transcript-summaries.ts'
import type { ToolError, ToolErrorCategory } from '../../domain/tool/tool-error.ts'
import { readOverflowTool } from '../../rules/tools/read-overflow.ts'
import { toolSearchTool } from '../../rules/tools/tool-search.ts'
import { isId } from '../../util/is-id.ts'
import { readWholeEntries } from '../session/read-transcript.ts'
import type { GateTransaction } from './gate/load-facts.ts'
import { drawTranscript } from './output/draw-transcript.ts'
import { searchOverflow } from './output/search-overflow.ts'
import { type OverflowQuestion, showOverflow } from './output/show-overflow.ts'
import { searchTools } from './search-tools.ts'

export type AgentAnswer =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'error'; readonly error: ToolError }

const defaultWindow = 500

/** Tools that work on this session's own rows, in the turn's transaction (DECISIONS 5). */
export async function runAgentTool(
  tx: GateTransaction,
  { tool, args }: { readonly tool: string; readonly args: Args },
): Promise<AgentAnswer> {
  const run = agentTools.get(tool)
  if (run === undefined) return failed('permanent_failure', `${tool} cannot run here`)
  return run(tx, args)
}

/** How each tool of the agent's side is carried out. */
const agentTools: ReadonlyMap<string, (tx: GateTransaction, args: Args) => Promise<AgentAnswer>> =
  new Map([
    [toolSearchTool.name, runToolSearch],
    [readOverflowTool.name, runReadOverflow],
  ])

async function runToolSearch(tx: GateTransaction, args: Args): Promise<AgentAnswer> {
  const text = await searchTools(tx, String(args['query']))
  return { kind: 'ok', text }
}

async function runReadOverflow(tx: GateTransaction, args: Args): Promise<AgentAnswer> {
  const id = String(args['id'])
    .replace(/^overflow:/, '')
    .toLowerCase()
  const days = tx.ctx.settings.overflowRetentionDays
  const content = await findLeftOut(tx.db, tx.session.id, id, days)
  if (content === undefined) return failed('permanent_failure', `overflow:${id} was not found`)
  const shown = await shownOf(toQuestion(content, args, tx.ctx.settings.overflowThreshold))
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

/**
 * OUT-09, LOOP-12: the text that a reference of this session stands for: of an output, or of what made room in the transcript (the
 * turns of a summary, steps, a message). undefined: there is none, or it has expired.
 */
async function findLeftOut(
  db: Db,
  sessionId: string,
  id: string,
  retentionDays: number,
): Promise<string | undefined> {
  if (!isId(id)) return undefined
  const kept = await findOverflow(db, sessionId, id, retentionDays)
  if (kept !== undefined) return kept
  const summary = await findSummaryById(db, sessionId, id)
  if (summary !== undefined) {
    const { from_position: from, to_position: to } = summary
    return drawTranscript(await readWholeEntries(db, sessionId, { from, to }))
  }
  const place = await findTranscriptPosition(db, sessionId, id)
  if (place === undefined) return undefined
  return drawTranscript(await readRun(db, sessionId, place))
}

/** A message, and where it is a step that was left out, those left out that follow it. */
async function readRun(
  db: Db,
  sessionId: string,
  { position, isLeftOut }: { readonly position: number; readonly isLeftOut: boolean },
) {
  const to = isLeftOut ? undefined : position + 1
  const entries = await readWholeEntries(db, sessionId, { from: position, to })
  const end = entries.findIndex((entry) => !entry.isLeftOut)
  return isLeftOut && end !== -1 ? entries.slice(0, end) : entries
}
