import { setTimeout as delay } from 'node:timers/promises'
import { inTransaction } from '../db/database.ts'
import { insertOutgoing, isPending, type OutgoingOptions } from '../db/outbox/outbox.ts'
import type { ConversationRow, Db, SessionRow, TurnRow } from '../db/schema.ts'
import { ensureConversation } from '../db/turn/conversations.ts'
import { findUntoldConversations } from '../db/turn/turn-activity.ts'
import { findLiveReplicas } from '../db/worker/workers.ts'
import type { Outgoing } from '../ports/chat.ts'
import type { ProductEvent } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import { isConnectionLoss } from '../util/has-code.ts'
import { toStorable } from '../util/text/storable.ts'
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

  toolsDue(): void {
    this.#effects.set('tools', (signals) => signals.toolsDue())
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

/** Short: after an outage the sender must record before another process takes over its claim. */
const pauseMs = 250

/**
 * Retries `work` through a database outage, since an unrecorded external action would be repeated (CHAT-06). `work` is repeated
 * as a whole and may have committed when its connection broke. Other errors throw; so does the signal's reason, between tries.
 */
export async function retryThroughOutage<T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      await delay(pauseMs, undefined, { signal })
    }
  }
}

/**
 * Appends a message to its conversation's outbox and returns its id there. `to`: the caller it answers, needed where only a reply
 * path reaches them.
 */
export async function post(
  tx: Transaction,
  conversationId: string,
  message: Outgoing,
  options?: OutgoingOptions,
): Promise<number> {
  tx.effects.deliver(conversationId)
  return insertOutgoing(tx.db, conversationId, toStorable(JSON.stringify(message)), options)
}

/** Posts a notice of the product itself. */
export async function notice(
  tx: Transaction,
  conversationId: string,
  text: string,
  to?: string,
): Promise<void> {
  const options = to === undefined ? {} : { to }
  await post(tx, conversationId, { kind: 'notice', text }, options)
}

/** Posts a notice that ends a turn without an answer: stopped, failed, or a person's own command. */
export async function endNotice(
  tx: Transaction,
  turn: { readonly id: string; readonly conversationId: string },
  text: string,
  to: string,
): Promise<void> {
  const message = { kind: 'notice', text, endsTurn: turn.id } as const
  await post(tx, turn.conversationId, message, { to })
}

/** Posts a notice unless the same text still waits there, so that many messages do not get as many replies. */
export async function noticeOnce(
  tx: Transaction,
  conversationId: string,
  text: string,
  to: string,
): Promise<void> {
  const body = toStorable(JSON.stringify({ kind: 'notice', text }))
  if (await isPending(tx.db, conversationId, body, to)) return
  await notice(tx, conversationId, text, to)
}

/** Posts one notice to each conversation with a waiting turn that tools cannot run now. Does nothing while a worker is alive. */
export async function noticeToolsAway(ctx: CoreContext): Promise<void> {
  if ((await findLiveReplicas(ctx.db, ctx.settings.worker)).length > 0) return
  const text = ctx.messages.inbox.toolsAway
  const body = toStorable(JSON.stringify({ kind: 'notice', text }))
  await transact(ctx, async (tx) => {
    for (const { conversationId, callerId } of await findUntoldConversations(tx.db, body))
      await notice(tx, conversationId, text, callerId)
  })
}

/**
 * Notifies the operators' conversation, if `[logging] alerts_to` names one. `about`: conversation with the problem; if it is
 * theirs, nobody is notified.
 */
export async function alert(
  tx: Transaction,
  { text, about }: { readonly text: string; readonly about?: string },
): Promise<void> {
  const [, platform, place] = /^([^:]+):(.+)$/s.exec(tx.ctx.settings.alertsTo ?? '') ?? []
  if (platform === undefined || place === undefined) return
  const conversation = await ensureConversation(tx.db, platform, place)
  if (conversation.id !== about) await notice(tx, conversation.id, text)
}
