import { saveShownTools } from '../../db/call/latest-calls.ts'
import { findOverflow } from '../../db/call/overflow.ts'
import type { Db } from '../../db/schema.ts'
import { findTranscriptPosition } from '../../db/turn/messages.ts'
import { findSummaryById } from '../../db/turn/summaries.ts'
import { getTurn } from '../../db/turn/turns.ts'
import type { ToolError, ToolErrorCategory } from '../../domain/tool/tool-error.ts'
import { isHidden } from '../../rules/gate/gate.ts'
import { readOverflowTool } from '../../rules/tools/read-overflow.ts'
import { offeredToModels } from '../../rules/tools/registry.ts'
import { namedIn } from '../../rules/tools/shown/choose-tools.ts'
import { toolWords } from '../../rules/tools/shown/shown-schema.ts'
import { createWordIndex } from '../../rules/tools/shown/word-index.ts'
import { toolSearchTool } from '../../rules/tools/tool-search.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { isId } from '../../util/ids.ts'
import { shorten } from '../../util/text/shorten.ts'
import { readWholeEntries } from '../session/read-transcript.ts'
import { type GateTransaction, shownTools, storedTools } from './gate/call-context.ts'
import { drawTranscript } from './output/draw-transcript.ts'
import { searchOverflow } from './output/search-overflow.ts'
import { type OverflowRequest, showOverflow } from './output/show-overflow.ts'

const mostFound = 10

const mostNamed = 200

const longestDescription = 300

export type AgentAnswer =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'error'; readonly error: ToolError }

const defaultWindow = 500

/** Runs a tool that works on this session's own rows, in the turn's transaction (DECISIONS 5). */
export async function runAgentTool(
  tx: GateTransaction,
  { tool, args }: { readonly tool: string; readonly args: Args },
): Promise<AgentAnswer> {
  const run = agentTools.get(tool)
  if (run === undefined) return failed('permanent_failure', `${tool} cannot run here`)
  return run(tx, args)
}

/** Implementation of each agent tool. */
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

function toQuestion(content: string, args: Args, room: number): OverflowRequest {
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

async function shownOf(question: OverflowRequest) {
  if (question.pattern === undefined) return showOverflow(question)
  return searchOverflow(question, readOverflowTool.timeoutMs)
}

/**
 * OUT-09, LOOP-12: returns the text behind a reference of this session: an output, or transcript parts left out to make room
 * (summarised turns, steps, a message). undefined: there is none, or it expired.
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

/** Reads a message and, if it is a step that was left out, the consecutive left-out steps after it. */
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

/**
 * SCH-02: finds hidden tools nearest to a query; they are shown from the turn's next step on. Others are listed by name, so that
 * a query can name them: words alone miss about half.
 */
async function searchTools(tx: GateTransaction, query: string): Promise<string> {
  const shown = shownTools(await getTurn(tx.db, tx.turn.id))
  if (shown === 'all') return '[every tool there is stands in the catalogue]'
  const left = offeredToModels(tx.facts.tools).filter(
    (spec) => !shown.has(spec.name) && !tx.facts.unmet?.has(spec.name) && !isHidden(spec, tx.facts),
  )
  const found = nearest(query, left)
  const names = found.map(({ name }) => name)
  await saveShownTools(tx.db, tx.turn.id, storedTools(new Set([...shown, ...names])))
  const others = left.map(({ name }) => name).filter((name) => !names.includes(name))
  return [foundText(found), othersText(others)].filter(Boolean).join('\n\n')
}

/** Ranks tools named in the query first, then by word similarity. */
function nearest(query: string, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const named = namedIn(query)
  const words = createWordIndex(tools.map(toolWords)).rank(query)
  return tools
    .map((spec, at) => {
      const isNamed = named.has(spec.name.toLowerCase())
      return { spec, score: isNamed ? 2 : (words[at] ?? 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.spec.name < b.spec.name ? -1 : 1))
    .slice(0, mostFound)
    .map(({ spec }) => spec)
}

function foundText(found: readonly ToolSpec[]): string {
  if (found.length === 0) return '[no tool was found by these words]'
  const lines = found.map(({ name, description }) => `${name}: ${oneLine(description)}`)
  return `[in the catalogue from the next step on]\n${lines.join('\n')}`
}

function oneLine(description: string): string {
  return shorten(description.replaceAll(/\s+/g, ' '), longestDescription)
}

function othersText(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ''
  const listed = names.slice(0, mostNamed).toSorted().join(', ')
  return `[others, to be searched for by name]\n${listed}${more}`
}
