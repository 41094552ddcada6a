export interface WaitOptions {
  readonly signal?: AbortSignal
  /** 60 seconds unless given. */
  readonly timeoutMs?: number
  /** What is waited for, for the error. */
  readonly what?: string
}

/** Tells whoever waits that something changed. */
export class ChangeSignal {
  readonly #listeners = new Set<() => void>()

  fire(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** The first value of `look` that is neither undefined nor false nor null. */
  async until<T>(
    look: () => T | undefined | false | null,
    options: WaitOptions = {},
    story: () => string = () => '',
  ): Promise<T> {
    const timeoutMs = options.timeoutMs ?? 60_000
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const check = () => {
      try {
        const value = look()
        if (value !== undefined && value !== false && value !== null) resolve(value)
      } catch (error) {
        reject(error)
      }
    }
    const abort = () => reject(options.signal?.reason)
    const timer = setTimeout(() => {
      const what = options.what ?? 'what a test waited for'
      reject(new Error(`not within ${timeoutMs} ms: ${what}${story()}`))
    }, timeoutMs)
    // Predicates may look at things that are not ours.
    const poll = setInterval(check, 50)
    this.#listeners.add(check)
    options.signal?.addEventListener('abort', abort)
    if (options.signal?.aborted) abort()
    check()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      clearInterval(poll)
      this.#listeners.delete(check)
      options.signal?.removeEventListener('abort', abort)
    }
  }
}
