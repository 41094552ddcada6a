import { inTransaction } from '../db/database.ts'
import type { ConversationRow, Db, SessionRow, TurnRow } from '../db/schema.ts'
import type { ProductEvent } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import type { CoreContext } from './context.ts'

/** An open transaction of the database, with what it runs in and what follows its commit. */
export interface Transaction<Context extends CoreContext = CoreContext> {
  readonly ctx: Context
  /** The transaction's own connection: everything it reads and writes goes over this. */
  readonly db: Db
  readonly effects: Effects
}

/** A context with a connection to read and write over, inside a transaction or not. */
export type Connected<Context extends CoreContext = CoreContext> = Pick<
  Transaction<Context>,
  'ctx' | 'db'
>

/** The rows of a turn and around it. */
export interface TurnRows {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  readonly turn: TurnRow
}

/** A transition of one turn; its session's row is locked. */
export interface TurnTransaction<Context extends CoreContext = CoreContext>
  extends Transaction<Context>,
    TurnRows {}

type Effect = (signals: Signals) => Promise<void>

/** What is to be told once the transaction has committed. Repeats of one key collapse to the last. */
export class Effects {
  readonly #effects = new Map<string, Effect>()
  readonly #events: ProductEvent[] = []
  readonly #last = new Map<string, (db: Db) => Promise<void>>()

  wakeTurn(turn: { readonly id: string; readonly epoch: number }): void {
    this.#effects.set(`turn ${turn.id}`, (signals) => signals.turnDue(turn.id, turn.epoch))
  }

  /** A hint for when it is due: lost with this process, the sweeper finds the turn instead. */
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

  /** Does something last in the transaction, once however often it is asked for by this key. */
  atEnd(key: string, work: (db: Db) => Promise<void>): void {
    this.#last.set(key, work)
  }

  /** Does what was to be done last. */
  async finish(db: Db): Promise<void> {
    for (const work of this.#last.values()) await work(db)
    this.#last.clear()
  }

  /** What happened, for whoever observes it. */
  tell(event: ProductEvent): void {
    this.#events.push(event)
  }

  /** What was told so far. */
  get events(): readonly ProductEvent[] {
    return this.#events
  }

  /** Tells all of it at once; a signal that fails is logged, the sweeper makes up for it. */
  async apply(ctx: CoreContext): Promise<void> {
    for (const event of this.#events) ctx.observer.record(event)
    const told = await Promise.allSettled(
      [...this.#effects.values()].map((effect) => effect(ctx.signals)),
    )
    for (const result of told) {
      if (result.status === 'rejected') {
        ctx.log.warn(
          { error: String(result.reason) },
          'a signal was lost; the sweeper will find it',
        )
      }
    }
  }
}

/** One transition: all that `work` writes commits together; its effects follow once it has committed. */
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
