import { withinMs } from '../util/abort.ts'
import type { Log } from '../util/log.ts'

/** Processes a conversation; returns the milliseconds until it needs another look, undefined if it needs none. */
export type ConversationWork = (id: string, signal: AbortSignal) => Promise<number | undefined>

/** Default number of conversations processed concurrently, so that a slow one delays few others. */
const defaultConcurrency = 32
/** Limit of waiting conversations; further ones are found again in the database. */
const mostWaiting = 10_000
/** Grace period for work in progress when the queue is disposed. */
const endWithinMs = 10_000

/** Runs work per conversation: one run at a time, and another if it was requested meanwhile. */
export class PerKeyQueue implements AsyncDisposable {
  readonly #work: ConversationWork
  readonly #log: Log
  readonly #atOnce: number
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, { again: boolean; readonly ended: Promise<void> }>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #ending = new AbortController()

  constructor(work: ConversationWork, log: Log, atOnce = defaultConcurrency) {
    this.#work = work
    this.#log = log
    this.#atOnce = atOnce
  }

  /** Requests work on a conversation. Never rejects, never waits. */
  ask(id: string): void {
    if (this.#ending.signal.aborted) return
    const running = this.#running.get(id)
    if (running !== undefined) running.again = true
    else if (this.#waiting.size < mostWaiting) {
      this.#waiting.add(id)
      this.#begin()
    }
  }

  /** Waits for deliveries in progress to be recorded; otherwise they are sent again at the next start (CHAT-06). */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    const ended = Promise.all([...this.#running.values()].map((running) => running.ended))
    await withinMs(ended, endWithinMs, undefined)
  }

  #begin(): void {
    for (const id of this.#waiting) {
      if (this.#running.size >= this.#atOnce || this.#ending.signal.aborted) return
      this.#waiting.delete(id)
      this.#running.set(id, { again: false, ended: this.#run(id) })
    }
  }

  async #run(id: string): Promise<void> {
    try {
      this.#lookAgain(id, await this.#work(id, this.#ending.signal))
    } catch (error) {
      this.#log.warn({ err: error }, 'failed to deliver, will retry')
    }
    const again = this.#running.get(id)?.again === true
    this.#running.delete(id)
    if (again) this.ask(id)
    this.#begin()
  }

  #lookAgain(id: string, afterMs: number | undefined): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    if (afterMs === undefined || this.#ending.signal.aborted) return
    const timer = setTimeout(() => {
      this.#timers.delete(id)
      this.ask(id)
    }, afterMs)
    timer.unref()
    this.#timers.set(id, timer)
  }
}
