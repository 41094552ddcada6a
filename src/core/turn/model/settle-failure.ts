import type { Db, TurnRow } from '../../../db/schema.ts'
import { recordTooLong } from '../../../db/turn/compaction.ts'
import { postponeTurn, readFailingMs } from '../../../db/turn/retries.ts'
import { updateLeasedTurn } from '../../../db/turn/turns.ts'
import { endUsage } from '../../../db/turn/usage.ts'
import type { ModelAnswer, ModelError } from '../../../ports/model.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { notice } from '../../outbox/post.ts'
import type { Transaction, TurnTransaction } from '../../transaction.ts'
import { transact } from '../../transaction.ts'
import { failTurn } from '../fail-turn.ts'
import { lockTurn } from '../lock-turn.ts'
import type { Prepared, ToSummarise } from '../prepare-step.ts'
import type { Stepped } from '../stepped.ts'
import type { TurnContext } from '../turn-context.ts'
import { costOf } from './cost-of.ts'
import { type NextTry, nextTry } from './next-try.ts'
import { toModelEvent } from './to-model-event.ts'

/** A model call that failed, and how it is settled. */
export interface FailedCall {
  readonly error: ModelError
  /** How long the call took. */
  readonly ms: number
  /** What the provider counted, where it gave an answer that is of no use. */
  readonly usage?: ModelAnswer['usage'] | undefined
  /** Follows when no model is left to try; by default the turn fails. */
  readonly giveUp?: (tx: Transaction) => Promise<Stepped>
}

/**
 * MODEL-04: a model call gave no answer. Nobody waits for the next try in memory: the turn's row says when it is due, and
 * whoever takes it then makes it.
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
    tx.effects.tell(toModelEvent(prepared, { outcome: error.kind, ms }))
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
    return follow({ tx: locked, why: said(ctx, error), ms }, next)
  })
}

/** LOOP-12: the step is taken once more, and makes room first, since the refused prompt tells how little there is. */
async function makeShorter(db: Db, turn: TurnRow): Promise<Stepped> {
  const failures = turn.model_failures + 1
  const own = await updateLeasedTurn(db, turn.id, turn.epoch, { model_failures: failures })
  return own === undefined ? { kind: 'over' } : { kind: 'continue', turn: own }
}

interface Failure {
  readonly tx: TurnTransaction<TurnContext>
  /** In words for people, without full stop. */
  readonly why: string
  readonly ms: number
}

function said(ctx: TurnContext, error: ModelError): string {
  return ctx.redact(error.message).replace(/\.$/, '')
}

function follow(failure: Failure, next: NextTry): Promise<Stepped> {
  const { tx, why } = failure
  switch (next.kind) {
    case 'again':
      return postpone(failure, next.afterMs)
    case 'fallback':
      return takeOver(failure)
    case 'never':
      return failTurn(tx, tx.turn, why)
    default:
      return assertNever(next)
  }
}

async function postpone({ tx, why, ms }: Failure, dueInMs: number) {
  const { ctx, db, effects, turn } = tx
  const postponed = await postponeTurn(db, turn, { beganMsAgo: ms, dueInMs })
  if (postponed !== undefined) effects.wakeTurnLater(postponed, dueInMs)
  ctx.log.info({ turn: turn.id, why, ms: dueInMs }, 'the model is asked again later')
  return { kind: 'over' } as const
}

async function takeOver({ tx, why }: Failure): Promise<Stepped> {
  const { ctx, db, turn, conversation } = tx
  const own = await updateLeasedTurn(db, turn.id, turn.epoch, {
    on_fallback: true,
    model_failures: turn.model_failures + 1,
    model_failing_since: null,
  })
  if (own === undefined) return { kind: 'over' }
  const words = `${why}. ${ctx.fallback?.name} goes on with this turn.`
  await notice(tx, conversation.id, words, turn.caller_id)
  return { kind: 'continue', turn: own }
}
