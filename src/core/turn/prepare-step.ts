import { gateColumns, toGateRows } from '../../db/call/gate-rows.ts'
import { findBatch } from '../../db/call/tool-calls.ts'
import type { ConversationRow, Db, SessionRow, TurnRow } from '../../db/schema.ts'
import { selectRefusedBytes } from '../../db/turn/compaction.ts'
import { transcriptColumns } from '../../db/turn/transcript-rows.ts'
import { beginStep } from '../../db/turn/turn-steps.ts'
import { updateLeasedTurn } from '../../db/turn/turns.ts'
import { startUsage } from '../../db/turn/usage.ts'
import type { Model, ModelTool } from '../../ports/model.ts'
import { type GateFacts, isHidden } from '../../rules/gate/gate.ts'
import { offeredToModels } from '../../rules/tools/registry.ts'
import { shownTool } from '../../rules/tools/shown/shown-schema.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { describeExceeded, readBudgets, usedUp, warnOfBudgets } from '../call/budgets.ts'
import { completeFacts, type LoadedFacts, shownTools } from '../call/gate/call-context.ts'
import { toMessages } from '../session/read-transcript.ts'
import { type TurnTransaction, transact } from '../transaction.ts'
import { fitContext } from './context/fit-context.ts'
import type { Prompt } from './context/prompt-size.ts'
import type { SummaryPlan } from './context/summary-plan.ts'
import { failTurn } from './end-turn.ts'
import { systemPrompt } from './model/system-prompt.ts'
import { modelOf, type TurnContext } from './turn-context.ts'

/** Step about to call the model. */
export interface Prepared extends Beginning {
  readonly kind: 'ask'
  readonly request: Prompt
  /** LOOP-10: last step at the cap, without tools. */
  readonly atCap: boolean
}

/** LOOP-12: step for which the model must summarise old turns first. */
export interface ToSummarise extends Beginning {
  readonly kind: 'summarise'
  readonly plan: SummaryPlan
}

interface Beginning {
  readonly turn: TurnRow
  readonly session: SessionRow
  readonly conversation: ConversationRow
  readonly usageId: string
  /** Model to ask. */
  readonly model: Model
}

/** Adds new messages to the transcript and stores that a model call starts. undefined: the turn was lost or is over. */
export function prepareStep(
  ctx: TurnContext,
  turn: TurnRow,
): Promise<Prepared | ToSummarise | undefined> {
  return transact(ctx, async (tx) => {
    const rows = await beginStep(tx.db, turn, await nextStep(tx.db, turn))
    if (rows === undefined) return undefined
    const current = { ...tx, ...rows }
    const { session, conversation, turn: own } = rows
    if (await isOverBudget(current)) return undefined
    const model = modelOf(ctx, own, session)
    const atCap = own.step > ctx.settings.maxToolIterations
    const { prompt: asked, refusedBytes } = await requestFor(current, model, atCap)
    const fitted = await fitContext(current, model, asked, refusedBytes)
    if (fitted.kind === 'full') {
      await failTurn(tx, own, ctx.messages.turns.tooLong(fitted))
      return undefined
    }
    if (fitted.kind === 'summarise') {
      // The step itself follows later.
      const before = await updateLeasedTurn(tx.db, turn.id, turn.epoch, { step: turn.step })
      const usageId = await startUsage(tx.db, own, model)
      return {
        kind: 'summarise',
        session,
        conversation,
        turn: before ?? own,
        usageId,
        model,
        plan: fitted.plan,
      }
    }
    const { prompt, bytes, budget } = fitted
    const usageId = await startUsage(tx.db, own, model, { bytes, budget })
    return { kind: 'ask', session, conversation, turn: own, usageId, model, request: prompt, atCap }
  })
}

/** LOOP-15: fails a turn that is over budget; its messages are in the transcript already, for `/retry`. */
async function isOverBudget(tx: TurnTransaction<TurnContext>): Promise<boolean> {
  const { caller_id: callerId } = tx.turn
  const budgets = await readBudgets(tx.ctx, tx.db, { session: tx.session, callerId })
  const over = usedUp(budgets)
  if (over === undefined) await warnOfBudgets(tx, budgets)
  else await failTurn(tx, tx.turn, describeExceeded(tx.ctx.messages, over))
  return over !== undefined
}

/** LOOP-10: returns the step number; repeating a model call that failed or was lost with its agent counts once. */
async function nextStep(db: Db, turn: TurnRow): Promise<number> {
  const { id, step, crashes, model_failures: failures } = turn
  const mayRepeat = crashes + failures > 0 && step > 0
  return mayRepeat && (await findBatch(db, id, step)).length === 0 ? step : step + 1
}

/** All that a prompt is made of is read in one statement. */
async function requestFor(
  { ctx, db, session, turn }: TurnTransaction<TurnContext>,
  model: Model,
  atCap: boolean,
): Promise<{ readonly prompt: Prompt; readonly refusedBytes: number | undefined }> {
  const rows = await db
    .selectNoFrom([
      ...gateColumns(db, session, turn),
      ...transcriptColumns(db, session.id),
      selectRefusedBytes(db, session.id, model.name).as('refused'),
    ])
    .executeTakeFirstOrThrow()
  const facts = await completeFacts(ctx, db, session, toGateRows(rows))
  const tools = visibleTools(ctx, facts, turn)
  const prompt: Prompt = {
    system: systemPrompt({
      tools,
      workspace: facts.workspace,
      worker: session.worker,
      native: model.nativeTools,
      commandsHaveNetwork: ctx.commands.hasNetwork === true,
    }),
    messages: toMessages(rows),
    tools,
    toolChoice: atCap ? 'none' : 'auto',
    cacheKey: session.id,
  }
  return { prompt, refusedBytes: rows.refused ?? undefined }
}

/**
 * REG-04, SCH-02, SCH-03: returns the tools shown in a step, sorted by name to keep the prompt prefix stable (MODEL-01). Within a
 * turn tools are only added, unless a rule removes one.
 */
function visibleTools(ctx: TurnContext, facts: LoadedFacts, turn: TurnRow): ModelTool[] {
  const { toolsEnabled, toolView } = ctx.settings
  if (!toolsEnabled) return []
  logUnmetTools(ctx, facts, turn)
  const shown = shownTools(turn)
  const isChosen = ({ name, findsTools }: ToolSpec): boolean =>
    findsTools === true ? shown !== 'all' : shown === 'all' || shown.has(name)
  return offeredToModels(facts.tools)
    .filter((spec) => isChosen(spec) && !facts.unmet?.has(spec.name) && !isHidden(spec, facts))
    .map((spec) => shownTool(spec, toolView?.thinkingFrom))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** SCH-03: logs hidden tools and their unmet dependencies. */
function logUnmetTools({ log }: TurnContext, { unmet }: GateFacts, { id, step }: TurnRow): void {
  if (unmet === undefined || unmet.size === 0) return
  log.debug(
    { turn: id, step, exclusions: [...unmet.values()] },
    'tools hidden until their dependencies succeed',
  )
}
