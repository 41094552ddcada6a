import type { Db, TurnRow } from '../../../db/schema.ts'
import { recordTooLong } from '../../../db/turn/compaction.ts'
import { postponeTurn, readFailingMs } from '../../../db/turn/retries.ts'
import { updateLeasedTurn } from '../../../db/turn/turns.ts'
import { endUsage } from '../../../db/turn/usage.ts'
import type { ModelAnswer, ModelError } from '../../../ports/model.ts'
import { assertNever } from '../../../util/guards.ts'
import { notice, type Transaction, type TurnTransaction, transact } from '../../transaction.ts'
import { failTurn } from '../end-turn.ts'
import type { Prepared, ToSummarise } from '../prepare-step.ts'
import { costOf, lockTurn, type Stepped, type TurnContext, toModelEvent } from '../turn-context.ts'

const baseMs = 1_000

const mostMs = 30_000

/** Failed model call. */
export interface FailedCall {
  readonly error: ModelError
  /** Duration of the call in milliseconds. */
  readonly ms: number
  /** Usage counted for a useless answer. */
  readonly usage?: ModelAnswer['usage'] | undefined
  /** Runs when no model is left to try; by default the turn fails. */
  readonly giveUp?: (tx: Transaction) => Promise<Stepped>
}

/**
 * MODEL-04: settles a failed model call. Nothing waits in memory: the turn's row says when the next try is due, and the agent
 * that takes it makes it.
 */
export function settleFailure(
  ctx: TurnContext,
  prepared: Prepared | ToSummarise,
  { error, ms, usage, giveUp }: FailedCall,
): Promise<Stepped> {
  return transact(ctx, async (tx) => {
    const locked = await lockTurn(tx, prepared.turn)
    const { turn, usageId, model } = prepared
    await endUsage(tx.db, usageId, 'failed', usage, usage && costOf(ctx, model.name, usage))
    tx.effects.emit(toModelEvent(prepared, { outcome: error.kind, ms }))
    const isRefusedPrompt = prepared.kind === 'ask' && error.kind === 'too_long'
    if (isRefusedPrompt && (await recordTooLong(tx.db, usageId, turn)) === 1) {
      return makeShorter(tx.db, turn)
    }
    const next = nextTry({
      error,
      failures: turn.model_failures,
      failingMs: await readFailingMs(tx.db, turn.id, ms),
      budgetMs: ctx.settings.modelRetryBudgetMs,
      hasFallback: ctx.fallback !== undefined && ctx.fallback !== model,
    })
    if (next.kind === 'never' && giveUp !== undefined) return giveUp(tx)
    const why = said(ctx, error)
    const words = ctx.messages.turns.modelFailure({ kind: error.kind, said: why })
    return follow({ tx: locked, why, words, ms }, next)
  })
}

/** LOOP-12: repeats the step, which frees room first, since the refused prompt shows the limit. */
async function makeShorter(db: Db, turn: TurnRow): Promise<Stepped> {
  const failures = turn.model_failures + 1
  const own = await updateLeasedTurn(db, turn.id, turn.epoch, { model_failures: failures })
  return own === undefined ? { kind: 'over' } : { kind: 'continue', turn: own }
}

interface Failure {
  readonly tx: TurnTransaction<TurnContext>
  /** Reason as the provider or adapter gives it, without full stop. */
  readonly why: string
  /** The reason for people, in their language. */
  readonly words: string
  readonly ms: number
}

function said(ctx: TurnContext, error: ModelError): string {
  return ctx.redact(error.message).replace(/\.$/, '')
}

function follow(failure: Failure, next: NextTry): Promise<Stepped> {
  const { tx, words } = failure
  switch (next.kind) {
    case 'again':
      return postpone(failure, next.afterMs)
    case 'fallback':
      return takeOver(failure)
    case 'never':
      return failTurn(tx, tx.turn, words)
    default:
      return assertNever(next)
  }
}

async function postpone({ tx, why, ms }: Failure, dueInMs: number) {
  const { ctx, db, effects, turn } = tx
  const postponed = await postponeTurn(db, turn, { beganMsAgo: ms, dueInMs })
  if (postponed !== undefined) effects.wakeTurnLater(postponed, dueInMs)
  ctx.log.info({ turn: turn.id, why, ms: dueInMs }, 'model call failed, will retry')
  return { kind: 'over' } as const
}

async function takeOver({ tx, words: why }: Failure): Promise<Stepped> {
  const { ctx, db, turn, conversation } = tx
  const own = await updateLeasedTurn(db, turn.id, turn.epoch, {
    on_fallback: true,
    model_failures: turn.model_failures + 1,
    model_failing_since: null,
  })
  if (own === undefined) return { kind: 'over' }
  const words = ctx.messages.turns.fallback({ why, model: ctx.fallback?.name ?? '' })
  await notice(tx, conversation.id, words, turn.caller_id)
  return { kind: 'continue', turn: own }
}

/** Next action after a failed model call. */
type NextTry =
  /** Retries the same model after a pause. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Switches to the second model at once. */
  | { readonly kind: 'fallback' }
  | { readonly kind: 'never' }

interface Failed {
  readonly error: Pick<ModelError, 'isRetryable' | 'retryAfterMs'>
  /** Earlier failed calls. */
  readonly failures: number
  /** Time since the first of them began. */
  readonly failingMs: number
  readonly budgetMs: number
  readonly hasFallback: boolean
}

/**
 * MODEL-04: retries a retryable error within the budget, after full jitter or the provider's requested pause, whichever is
 * longer; then the second model takes over. A refused call is not repeated. Full jitter:
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function nextTry(failed: Failed, random: () => number = Math.random): NextTry {
  const { error, failures, failingMs, budgetMs, hasFallback } = failed
  const jitterMs = random() * Math.min(mostMs, baseMs * 2 ** Math.min(failures, 30))
  const afterMs = Math.round(Math.max(jitterMs, error.retryAfterMs ?? 0))
  if (error.isRetryable && failingMs + afterMs <= budgetMs) return { kind: 'again', afterMs }
  return { kind: hasFallback ? 'fallback' : 'never' }
}
