import type { WorkerMessage } from '../../rules/jobs/contract.ts'
import type { Poster } from './poster.ts'

/** Sends `hello` now and every `everyMs`. A failed one is not repeated. */
export class Heartbeat implements Disposable {
  readonly #poster: Poster
  readonly #hello: (beat: number) => Extract<WorkerMessage, { type: 'hello' }>
  readonly #timer: NodeJS.Timeout
  #beats = 0
  #isSending = false

  constructor(
    poster: Poster,
    hello: (beat: number) => Extract<WorkerMessage, { type: 'hello' }>,
    everyMs: number,
  ) {
    this.#poster = poster
    this.#hello = hello
    this.#timer = setInterval(() => void this.#beat(), everyMs)
    void this.#beat()
  }

  /** Returns the next sequence number. */
  next(): number {
    this.#beats += 1
    return this.#beats
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #beat(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    const hello = this.#hello(this.next())
    await this.#poster.tryOnce(`hello-${hello.replica}-${hello.beat}`, hello)
    this.#isSending = false
  }
}
