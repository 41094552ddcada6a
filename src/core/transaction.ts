import { inTransaction } from '../db/database.ts'
import type { Db } from '../db/schema.ts'
import type { ProductEvent } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import type { CoreContext } from './context.ts'

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

/** One transition: everything `work` writes commits together, and only then is anybody told. */
export async function transact<T>(
  ctx: CoreContext,
  work: (db: Db, after: Effects) => Promise<T>,
): Promise<T> {
  let after = new Effects()
  const result = await inTransaction(ctx.db, async (db) => {
    after = new Effects()
    const done = await work(db, after)
    await after.finish(db)
    return done
  })
  await after.apply(ctx)
  return result
}
