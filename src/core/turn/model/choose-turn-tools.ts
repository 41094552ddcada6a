import type { TurnRow } from '../../../db/schema.ts'
import { findTurnText } from '../../../db/turn/messages.ts'
import { findUsedTools } from '../../../db/turn/recent-calls.ts'
import { getSession } from '../../../db/turn/sessions.ts'
import { updateLeasedTurn } from '../../../db/turn/turns.ts'
import type { SchemaFilter } from '../../../domain/tool/tool-view.ts'
import { isHidden } from '../../../rules/gate/gate.ts'
import { offeredToModels } from '../../../rules/tools/registry.ts'
import { chooseTools } from '../../../rules/tools/shown/choose-tools.ts'
import { toolText } from '../../../rules/tools/shown/shown-schema.ts'
import type { ToolChoice } from '../../../rules/tools/shown/tool-choice.ts'
import { boostOf } from '../../../rules/tools/shown/unmet-requirements.ts'
import { cosine } from '../../../rules/tools/shown/word-index.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { type LoadedFacts, loadFacts, storedTools } from '../../call/gate/call-context.ts'
import { holdLease, releaseEndingTurn, type TurnContext } from '../turn-context.ts'

/** Time limit in milliseconds, as a person is waiting; embeddings computed by then are cached for the next turn. */
const patienceMs = 5_000

/** UTF-16 units compared at each end of a long message; the request is usually in one of them. */
const endUnits = 1_000

/**
 * SCH-02, MODEL-01: selects the tools of a turn once, before its first step, and stores them, so that a step after a crash shows
 * the same. Asks the provider outside any transaction. undefined: the turn was lost or released.
 */
export async function chooseTurnTools(
  ctx: TurnContext,
  turn: TurnRow,
): Promise<TurnRow | undefined> {
  const { toolsEnabled, toolView } = ctx.settings
  const filter = toolView?.filter
  if (filter === undefined || !toolsEnabled || turn.shown_tools !== null) return turn
  if (ctx.catalogue.mostTools <= filter.aboveTools) return turn
  const choices = await choose(ctx, turn, filter)
  if (choices === undefined) {
    await releaseEndingTurn(ctx, turn)
    return undefined
  }
  const shown = storedTools(choices === 'all' ? choices : namesShown(choices))
  return updateLeasedTurn(ctx.db, turn.id, turn.epoch, { shown_tools: shown })
}

/** Tools that may be left out; not the one that finds the rest. */
function candidates(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return offeredToModels(tools).filter(({ findsTools }) => findsTools !== true)
}

function namesShown(choices: readonly ToolChoice[]): ReadonlySet<string> {
  return new Set(choices.flatMap(({ tool, isShown }) => (isShown ? [tool] : [])))
}

/**
 * Selects the tools. `all`: too few to leave any out, or nothing could find the rest. undefined: the agent was stopped or lost
 * the turn first; the next holder selects.
 */
async function choose(
  ctx: TurnContext,
  turn: TurnRow,
  filter: SchemaFilter,
): Promise<readonly ToolChoice[] | 'all' | undefined> {
  const { db, settings } = ctx
  const session = await getSession(db, turn.session_id)
  const facts = await loadFacts(ctx, db, session, turn)
  const tools = candidates(facts.tools).filter((spec) => !isHidden(spec, facts))
  if (tools.length <= filter.aboveTools || !canSearch(facts)) return 'all'
  const message = await findTurnText(db, turn)
  const compared = await holdLease(ctx, turn, async (signal) => {
    const similarities = await compareTools(ctx, message, tools, signal)
    return signal.aborted ? undefined : { similarities }
  })
  if (compared === undefined) return undefined
  const choices = chooseTools({
    tools,
    message,
    used: await findUsedTools(db, session.id),
    waiting: new Set(facts.unmet?.keys()),
    similarities: compared.similarities,
    boostOf: (tool) => boostOf(tool, settings.toolView?.dependencies, facts.succeeded),
    filter,
  })
  logToolChoice(ctx, turn, choices)
  return choices
}

function canSearch(facts: LoadedFacts): boolean {
  return facts.tools.some((spec) => spec.findsTools === true && !isHidden(spec, facts))
}

function logToolChoice({ log }: TurnContext, turn: TurnRow, choices: readonly ToolChoice[]): void {
  const hidden = choices.filter(({ isShown }) => !isShown)
  const reasons = hidden.map(({ tool, why, score }) => [
    tool,
    score === undefined ? why : `${why} (${score.total.toFixed(2)})`,
  ])
  const counts = { shown: choices.length - hidden.length, hidden: hidden.length }
  log.debug({ turn: turn.id, ...counts, reasons: Object.fromEntries(reasons) }, 'tools selected')
}

/**
 * SCH-02: returns the similarity of each tool to the message by the provider's embeddings, by tool name. undefined if there are
 * none or they failed, which is logged; hidden tools can still be searched for.
 */
export async function compareTools(
  { embedder, log }: Pick<TurnContext, 'embedder' | 'log'>,
  message: string,
  tools: readonly ToolSpec[],
  held: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (embedder === undefined || message.trim() === '') return undefined
  const signal = AbortSignal.any([held, AbortSignal.timeout(patienceMs)])
  try {
    const texts = tools.map(toolText)
    const [asked = [], ...vectors] = await embedder.embed([endsOf(message), ...texts], signal)
    return new Map(tools.map(({ name }, at) => [name, cosine(asked, vectors[at] ?? [])]))
  } catch (error) {
    if (held.aborted) return undefined
    const why = error instanceof Error ? error.message : String(error)
    log.warn({ model: embedder.name, error: why }, 'embeddings failed; tools selected without them')
    return undefined
  }
}

function endsOf(message: string): string {
  if (message.length <= 2 * endUnits) return message
  return `${message.slice(0, endUnits)}\n${message.slice(-endUnits)}`.toWellFormed()
}
