import type { Feed } from '../adapters/http/event-stream.ts'
import { followQuestions } from '../core/approval/follow-questions.ts'
import type { Kernel } from '../core/kernel/kernel.ts'
import type { Notifier } from '../util/notifier.ts'

/** Each costs a look at the database every two seconds, and a connection of the server, of which there are 200. */
const mostOfOne = 8
const mostOfAll = 64

/** The streams of a process that programs follow. Disposing ends all of them. */
export class ApiFeeds implements Disposable {
  readonly #kernel: Kernel
  readonly #bell: Notifier
  readonly #open = new Map<AbortController, string>()
  #isClosing = false

  constructor(kernel: Kernel, bell: Notifier) {
    this.#kernel = kernel
    this.#bell = bell
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size
  }

  open(tokenSha256: string): Feed | 'full' | 'closing' {
    if (this.#isClosing) return 'closing'
    const own = [...this.#open.values()].filter((token) => token === tokenSha256).length
    if (own >= mostOfOne || this.#open.size >= mostOfAll) return 'full'
    const ending = new AbortController()
    this.#open.set(ending, tokenSha256)
    const { signal } = ending
    return {
      items: followQuestions({ kernel: this.#kernel, tokenSha256, bell: this.#bell, signal }),
      end: () => {
        this.#open.delete(ending)
        ending.abort()
      },
    }
  }

  [Symbol.dispose](): void {
    this.#isClosing = true
    for (const ending of this.#open.keys()) ending.abort()
    this.#open.clear()
  }
}
