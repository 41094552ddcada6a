import { withinMs } from '../util/abort.ts'
import type { Log } from '../util/log.ts'

/** Does something with a conversation; answers after how many milliseconds it is worth another look, if at all. */
export type ConversationWork = (id: string, signal: AbortSignal) => Promise<number | undefined>

/** Conversations that are worked on at once, unless told: a slow one holds up few others. */
const usualAtOnce = 32
/** Those that wait; what is asked for beyond them is found again where it is stored. */
const mostWaiting = 10_000
/** How long what is on its way may still take when the line is disposed. */
const endWithinMs = 10_000

/** Work by conversation: one at a time for each, and again when it was asked for meanwhile. */
export class PerKeyQueue implements AsyncDisposable {
  readonly #work: ConversationWork
  readonly #log: Log
  readonly #atOnce: number
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, { again: boolean; readonly ended: Promise<void> }>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #ending = new AbortController()

  constructor(work: ConversationWork, log: Log, atOnce = usualAtOnce) {
    this.#work = work
    this.#log = log
    this.#atOnce = atOnce
  }

  /** Asks for work on a conversation now. Never rejects, never waits. */
  ask(id: string): void {
    if (this.#ending.signal.aborted) return
    const running = this.#running.get(id)
    if (running !== undefined) running.again = true
    else if (this.#waiting.size < mostWaiting) {
      this.#waiting.add(id)
      this.#begin()
    }
  }

  /** What is on its way must be recorded, or it is sent again at the next start (CHAT-06). */
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
      this.#log.warn({ err: error }, 'a delivery failed; it is tried again')
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
