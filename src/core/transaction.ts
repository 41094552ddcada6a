import { inTransaction } from '../db/database.ts'
import type { ConversationRow, Db, SessionRow, TurnRow } from '../db/schema.ts'
import type { ProductEvent } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import type { CoreContext } from './context.ts'

/** Open database transaction, with its context and the effects that follow its commit. */
export interface Transaction<Context extends CoreContext = CoreContext> {
  readonly ctx: Context
  /** Connection of the transaction; all reads and writes must use it. */
  readonly db: Db
  readonly effects: Effects
}

/** Context with a database connection, inside a transaction or not. */
export type Connected<Context extends CoreContext = CoreContext> = Pick<
  Transaction<Context>,
  'ctx' | 'db'
>

/** Turn with its session and conversation. */
export interface TurnRows {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  readonly turn: TurnRow
}

/** Transition of one turn; its session's row is locked. */
export interface TurnTransaction<Context extends CoreContext = CoreContext>
  extends Transaction<Context>,
    TurnRows {}

type Effect = (signals: Signals) => Promise<void>

/** Signals and events to send after the commit. A repeated key replaces the earlier signal. */
export class Effects {
  readonly #effects = new Map<string, Effect>()
  readonly #events: ProductEvent[] = []
  readonly #last = new Map<string, (db: Db) => Promise<void>>()

  wakeTurn(turn: { readonly id: string; readonly epoch: number }): void {
    this.#effects.set(`turn ${turn.id}`, (signals) => signals.turnDue(turn.id, turn.epoch))
  }

  /** Wakes the turn later in this process; if that dies, the sweeper finds the turn. */
  wakeTurnLater(turn: { readonly id: string; readonly epoch: number }, afterMs: number): void {
    this.#effects.set(`turn ${turn.id}`, async (signals) => {
      const wake = () => void signals.turnDue(turn.id, turn.epoch).catch(() => undefined)
      setTimeout(wake, afterMs).unref()
    })
  }

  deliver(conversationId: string): void {
    this.#effects.set(`outbox ${conversationId}`, (signals) => signals.outboxDue(conversationId))
  }

  abortTurn(turnId: string): void {
    this.#effects.set(`abort ${turnId}`, (signals) => signals.turnStopped(turnId))
  }

  sendJob(queue: string, id: string, data: unknown): void {
    this.#effects.set(`job ${id}`, (signals) => signals.sendJob(queue, id, data))
  }

  orderRules(): void {
    this.#effects.set('rules', (signals) => signals.rulesDue())
  }

  restartBoxes(): void {
    this.#effects.set('boxes', (signals) => signals.boxesDue())
  }

  /** Runs `work` at the end of the transaction, once for each key. */
  atEnd(key: string, work: (db: Db) => Promise<void>): void {
    this.#last.set(key, work)
  }

  /** Runs the work registered with `atEnd`. */
  async finish(db: Db): Promise<void> {
    for (const work of this.#last.values()) await work(db)
    this.#last.clear()
  }

  /** Queues an event for observers. */
  emit(event: ProductEvent): void {
    this.#events.push(event)
  }

  /** Events queued so far. */
  get events(): readonly ProductEvent[] {
    return this.#events
  }

  /** Sends all events and signals; a failed signal is logged and made up for by the sweeper. */
  async apply(ctx: CoreContext): Promise<void> {
    for (const event of this.#events) ctx.observer.record(event)
    const told = await Promise.allSettled(
      [...this.#effects.values()].map((effect) => effect(ctx.signals)),
    )
    for (const result of told) {
      if (result.status === 'rejected') {
        ctx.log.warn(
          { error: String(result.reason) },
          'failed to send a signal; the sweeper will recover it',
        )
      }
    }
  }
}

/** Runs one transition: all writes of `work` commit together; its effects follow after the commit. */
export async function transact<T, Context extends CoreContext>(
  ctx: Context,
  work: (tx: Transaction<Context>) => Promise<T>,
): Promise<T> {
  let effects = new Effects()
  const result = await inTransaction(ctx.db, async (db) => {
    effects = new Effects()
    const done = await work({ ctx, db, effects })
    await effects.finish(db)
    return done
  })
  await effects.apply(ctx)
  return result
}

/** Runs one of several independent tasks; logs its error, and it is retried later. */
export async function attempt(
  ctx: CoreContext,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    ctx.log.warn({ err: error, what }, 'task failed, will retry')
  }
}
