import type { SessionRow, TurnRow } from '../../db/schema.ts'
import { lockSessionAndConversation } from '../../db/turn/sessions.ts'
import { leaseMs, releaseMidStep, renewLease } from '../../db/turn/turns.ts'
import type { Usage } from '../../domain/message.ts'
import type { Embedder } from '../../ports/embedder.ts'
import { type Model, type ModelAnswer, ModelError } from '../../ports/model.ts'
import type { EventOf } from '../../ports/observer.ts'
import type { HideSecrets } from '../../rules/gate/review/shown-arguments.ts'
import { holdClaim } from '../../util/hold-claim.ts'
import type { CallContext } from '../call/gate/call-context.ts'
import type { SummaryPrompt } from '../call/output/summary-words.ts'
import type { CoreContext } from '../context.ts'
import { type Effects, post, type Transaction, type TurnTransaction } from '../transaction.ts'

/** POL-05: reviewer of calls. */
export interface Reviewer {
  readonly model: Model
  /** The operator's review policy, as text. */
  readonly policy: string | undefined
  /** Time limit of one review. */
  readonly timeoutMs: number
  /** Removes secrets from what it is shown. */
  readonly hideSecrets: HideSecrets
}

/** Dependencies for advancing a turn. */
export interface TurnContext extends CallContext {
  readonly model: Model
  /** MODEL-04: second model, for turns in which `model` failed. */
  readonly fallback?: Model
  /** CHAT-03: models people can choose, by the operator's names. */
  readonly choices?: ReadonlyMap<string, Model>
  /** Set whenever `reviews` is. */
  readonly reviewer?: Reviewer
  /** SCH-02: embeddings for selecting tools; absent: none configured or offered by the provider. */
  readonly embedder?: Embedder
  /** Id of this process as lease holder; new for every process. */
  readonly agentId: string
  /** Public key for this agent's live events: Ed25519, SPKI PEM. */
  readonly liveKey: string
  /** Running model calls by turn, aborted by `/stop`. */
  readonly runningModelCalls: Map<string, AbortController>
}

/** Releases a turn mid-step when this agent is ending, so that another takes it at once. No effect on a lost or ended turn. */
export async function releaseEndingTurn(
  { db, signals }: TurnContext,
  { id, epoch }: TurnRow,
): Promise<void> {
  const left = await releaseMidStep(db, id, epoch)
  if (left !== undefined) await signals.turnDue(left.id, left.epoch)
}

/** Locks a turn's session and reads the related rows; the first statement of each of its transitions. */
export async function lockTurn<Context extends CoreContext>(
  tx: Transaction<Context>,
  turn: TurnRow,
): Promise<TurnTransaction<Context>> {
  return { ...tx, ...(await lockSessionAndConversation(tx.db, turn.session_id)), turn }
}

/** Result of a turn's step: the next can follow at once, or the turn is not ours any more: it waits, ended or was lost. */
export type Stepped =
  | { readonly kind: 'continue'; readonly turn: TurnRow }
  | { readonly kind: 'over' }

/** Posts the model's text before approvals are requested, so that people know what they are for. */
export async function postRemark(tx: TurnTransaction, markdown: string): Promise<void> {
  const { conversation, turn } = tx

  if (markdown.trim() === '') return
  const remark = { kind: 'remark', markdown, turnId: turn.id } as const
  await post(tx, conversation.id, remark, { to: turn.caller_id })
}

/** Emits that a turn ended. */
export function emitTurnEnded(effects: Effects, ended: TurnRow): void {
  const { id, session_id, kind, state, step, created_at, ended_at } = ended
  if (state !== 'done' && state !== 'stopped' && state !== 'failed') return
  effects.emit({
    kind: 'turn_ended',
    turnId: id,
    sort: kind,
    sessionId: session_id,
    state,
    steps: step,
    ms: (ended_at?.getTime() ?? 0) - created_at.getTime(),
  })
}

type Answered = EventOf<'model_answered'>

/** Builds the event of a model call; a failed one reports no tokens. */
export function toModelEvent(
  { turn, model }: { readonly turn: TurnRow; readonly model: Model },
  ended: {
    readonly outcome: Answered['outcome']
    readonly ms: number
    readonly usage?: Usage
    readonly cost?: number | undefined
  },
): Answered {
  const { outcome, ms, usage = noUsage, cost } = ended
  return {
    kind: 'model_answered',
    turnId: turn.id,
    epoch: turn.epoch,
    step: turn.step,
    provider: model.provider,
    model: model.name,
    outcome,
    ms,
    ...usage,
    ...(cost === undefined ? {} : { costUsd: cost }),
  }
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** Returns the cost of a model call in US dollars by the configured prices; undefined without a price. */
export function costOf(ctx: TurnContext, model: string, usage: Usage): number | undefined {
  const price = ctx.settings.prices[model]
  if (price === undefined) return undefined
  const { cacheReadTokens: read, cacheWriteTokens: write } = usage
  const fresh = Math.max(usage.inputTokens - read - write, 0)
  const millionths =
    fresh * price.input +
    read * (price.cacheRead ?? price.input) +
    write * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output
  return millionths / 1_000_000
}

/** Time limit for a summary in milliseconds, besides the limit for any answer. */
const patienceMs = 120_000

/** Asks a model for a summary under the turn's lease, without tools and apart from the session's prompts. */
export async function askSummary(
  ctx: TurnContext,
  turn: TurnRow,
  model: Model,
  question: SummaryPrompt,
): Promise<ModelAnswer | ModelError> {
  const deadline = AbortSignal.timeout(Math.min(patienceMs, ctx.settings.modelTimeoutMs))
  try {
    return await holdLease(ctx, turn, (held) =>
      model.answer({
        system: question.system,
        messages: [{ role: 'user', author: 'Countersign', text: question.text }],
        tools: [],
        toolChoice: 'none',
        cacheKey: `summary-${turn.session_id}`,
        signal: AbortSignal.any([held, deadline]),
      }),
    )
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    if (error.kind !== 'aborted' || !deadline.aborted) return error
    return new ModelError('unreachable', 'the model did not sum up in time', { cause: error })
  }
}

/**
 * Runs `work` while renewing the turn's lease. Its signal fires when the lease is lost or the turn stopped; later results have no
 * effect, because every write of a step names its epoch.
 */
export async function holdLease<T>(
  ctx: TurnContext,
  turn: { readonly id: string; readonly epoch: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { db, log, runningModelCalls } = ctx
  const stopped = new AbortController()
  runningModelCalls.set(turn.id, stopped)
  const renew = () => renewLease(db, turn.id, turn.epoch)
  try {
    return await holdClaim({ what: `turn ${turn.id}`, claimMs: leaseMs, renew, log }, (lost) =>
      work(AbortSignal.any([stopped.signal, lost])),
    )
  } finally {
    if (runningModelCalls.get(turn.id) === stopped) runningModelCalls.delete(turn.id)
  }
}

type ModelsOfTurn = Pick<TurnContext, 'model' | 'fallback' | 'choices'>

/** Returns the model of a turn: the one chosen for its session, or the second model once that took over (MODEL-04). */
export function modelOf(ctx: ModelsOfTurn, turn: TurnRow, session: SessionRow): Model {
  return turn.on_fallback && ctx.fallback !== undefined ? ctx.fallback : chosenModel(ctx, session)
}

/** A chosen model that is no longer configured is ignored. */
function chosenModel({ model, choices }: ModelsOfTurn, session: SessionRow): Model {
  return (session.model === null ? undefined : choices?.get(session.model)) ?? model
}
