import type { TurnRow } from '../../../db/schema.ts'
import { findTurnText } from '../../../db/turn/messages.ts'
import { getSession } from '../../../db/turn/sessions.ts'
import { updateLeasedTurn } from '../../../db/turn/turns.ts'
import { findUsedTools } from '../../../db/turn/used-tools.ts'
import type { SchemaFilter } from '../../../domain/tool/tool-view.ts'
import { isHidden } from '../../../rules/gate/gate.ts'
import { offeredToModels } from '../../../rules/tools/registry.ts'
import { chooseTools } from '../../../rules/tools/shown/choose-tools.ts'
import type { ToolChoice } from '../../../rules/tools/shown/tool-choice.ts'
import { boostOf } from '../../../rules/tools/shown/unmet-requirements.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { type LoadedFacts, loadFacts } from '../../call/gate/load-facts.ts'
import { storedTools } from '../../call/gate/shown-tools.ts'
import { handOn } from '../hand-on.ts'
import type { TurnContext } from '../turn-context.ts'
import { compareTools } from './compare-tools.ts'
import { holdLease } from './hold-lease.ts'

/**
 * SCH-02, MODEL-01: chooses the tools of a turn, once, before its first step, and writes them down: a step after a crash shows
 * the same. Asks the provider outside any transaction. undefined: the turn is not ours any more, or left to the next.
 */
export async function chooseTurnTools(
  ctx: TurnContext,
  turn: TurnRow,
): Promise<TurnRow | undefined> {
  const { toolsEnabled, toolView } = ctx.settings
  const filter = toolView?.filter
  if (filter === undefined || !toolsEnabled || turn.shown_tools !== null) return turn
  if (candidates(ctx.tools).length <= filter.aboveTools) return turn
  const choices = await choose(ctx, turn, filter)
  if (choices === undefined) {
    await handOn(ctx, turn)
    return undefined
  }
  const shown = storedTools(choices === 'all' ? choices : namesShown(choices))
  return updateLeasedTurn(ctx.db, turn.id, turn.epoch, { shown_tools: shown })
}

/** What may be left out; what finds the rest is not among it. */
function candidates(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return offeredToModels(tools).filter(({ findsTools }) => findsTools !== true)
}

function namesShown(choices: readonly ToolChoice[]): ReadonlySet<string> {
  return new Set(choices.flatMap(({ tool, isShown }) => (isShown ? [tool] : [])))
}

/**
 * `all`: nothing is left out, since there are few, or since nothing could find the rest. undefined: this agent was stopped, or the turn
 * is not its own any more, before the provider had said; whoever takes the turn chooses.
 */
async function choose(
  ctx: TurnContext,
  turn: TurnRow,
  filter: SchemaFilter,
): Promise<readonly ToolChoice[] | 'all' | undefined> {
  const { db, settings } = ctx
  const session = await getSession(db, turn.session_id)
  const facts = await loadFacts(ctx, db, session, turn)
  const tools = candidates(ctx.tools).filter((spec) => !isHidden(spec, facts))
  if (tools.length <= filter.aboveTools || !canSearch(ctx, facts)) return 'all'
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
  tellChoice(ctx, turn, choices)
  return choices
}

function canSearch(ctx: TurnContext, facts: LoadedFacts): boolean {
  return ctx.tools.some((spec) => spec.findsTools === true && !isHidden(spec, facts))
}

function tellChoice({ log }: TurnContext, turn: TurnRow, choices: readonly ToolChoice[]): void {
  const hidden = choices.filter(({ isShown }) => !isShown)
  const reasons = hidden.map(({ tool, why, score }) => [
    tool,
    score === undefined ? why : `${why} (${score.total.toFixed(2)})`,
  ])
  const counts = { shown: choices.length - hidden.length, hidden: hidden.length }
  log.debug({ turn: turn.id, ...counts, reasons: Object.fromEntries(reasons) }, 'tools were chosen')
}
