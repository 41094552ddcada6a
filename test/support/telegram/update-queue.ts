import { setTimeout as delay } from 'node:timers/promises'
import type { Update } from 'grammy/types'
import { conflict } from './limits/refusal.ts'

export type UpdateKind = Exclude<keyof Update, 'update_id'>

/** Kinds that a bot gets only when it asks for them by name. */
const onRequest = new Set(['chat_member', 'message_reaction', 'message_reaction_count'])

interface Waiter {
  readonly limit: number
  readonly answer: (updates: Update[]) => void
  readonly fail: (error: Error) => void
}

/** What happened and is not confirmed yet. */
export class UpdateQueue {
  #pending: Update[] = []
  #nextId: number
  #allowed: readonly string[] = []
  #waiter: Waiter | undefined
  #lastConflictAt = Number.NEGATIVE_INFINITY
  readonly #conflictPauseMs: number
  readonly #listeners = new Set<() => void>()

  constructor(firstId: number, conflictPauseMs: number) {
    this.#nextId = firstId
    this.#conflictPauseMs = conflictPauseMs
  }

  get pending(): readonly Update[] {
    return this.#pending
  }

  /** Empty: everything but what must be asked for by name. */
  get allowed(): readonly string[] {
    return this.#allowed
  }

  /** Whether a getUpdates waits. */
  get isPolled(): boolean {
    return this.#waiter !== undefined
  }

  allow(kinds: readonly string[]): void {
    this.#allowed = kinds
  }

  /** Undefined when the bot does not want this kind. */
  push(kind: UpdateKind, payload: unknown): Update | undefined {
    const wanted = this.#allowed.length === 0 ? !onRequest.has(kind) : this.#allowed.includes(kind)
    if (!wanted) return undefined
    const update = structuredClone({ update_id: this.#nextId++, [kind]: payload }) as Update
    this.#pending.push(update)
    this.#tell()
    return update
  }

  /** Gives an update again; it goes before what has not been given yet. */
  repeat(update: Update): void {
    if (this.#pending.some(({ update_id: id }) => id === update.update_id)) return
    this.#pending = [...this.#pending, update].sort((a, b) => a.update_id - b.update_id)
    this.#tell()
  }

  #tell(): void {
    const waiter = this.#waiter
    if (waiter !== undefined) {
      this.#waiter = undefined
      waiter.answer(this.#pending.slice(0, waiter.limit))
    }
    for (const listener of this.#listeners) listener()
  }

  /** Returns what ends it. */
  onPush(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  confirmBelow(offset: number): void {
    this.#pending = this.#pending.filter((update) => update.update_id >= offset)
  }

  clear(): void {
    this.#pending = []
  }

  /** getUpdates. Waits while there is nothing; a later wait ends an earlier one with a conflict. */
  async poll(
    request: { readonly offset: number; readonly limit: number; readonly timeoutMs: number },
    gone: AbortSignal,
  ): Promise<Update[]> {
    const { offset, limit, timeoutMs } = request
    if (offset < 0) this.#pending = this.#pending.slice(offset)
    else this.confirmBelow(offset)
    if (this.#pending.length > 0 || timeoutMs === 0) return this.#pending.slice(0, limit)
    this.endWait(
      'terminated by other getUpdates request; make sure that only one bot instance is running',
    )
    return await this.#wait(limit, timeoutMs, gone)
  }

  /** Ends a waiting getUpdates; the second conflict in a short time is told late, as Telegram does. */
  endWait(why: string): void {
    const waiter = this.#waiter
    if (waiter === undefined) return
    this.#waiter = undefined
    const now = performance.now()
    if (now - this.#lastConflictAt >= this.#conflictPauseMs) {
      this.#lastConflictAt = now
      waiter.fail(conflict(why))
      return
    }
    void delay(this.#conflictPauseMs, undefined, { ref: false }).then(() =>
      waiter.fail(conflict(why)),
    )
  }

  async #wait(limit: number, timeoutMs: number, gone: AbortSignal): Promise<Update[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Update[]>()
    const waiter: Waiter = { limit, answer: resolve, fail: reject }
    const end = () => {
      if (this.#waiter === waiter) this.#waiter = undefined
      resolve([])
    }
    const timer = setTimeout(end, timeoutMs)
    gone.addEventListener('abort', end)
    if (gone.aborted) end()
    else this.#waiter = waiter
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      gone.removeEventListener('abort', end)
    }
  }
}
