import type { Log } from '../../util/log.ts'

type Handle = (payload: unknown) => void

/** Handlers by topic. An error of a handler is logged and does not affect the others. */
export class Subscriptions {
  readonly #log: Log
  readonly #byTopic = new Map<string, Set<{ readonly handle: Handle }>>()

  constructor(log: Log) {
    this.#log = log
  }

  add(topic: string, handle: Handle): AsyncDisposable {
    const entries = this.#byTopic.get(topic) ?? new Set()
    const entry = { handle }
    this.#byTopic.set(topic, entries.add(entry))
    return {
      [Symbol.asyncDispose]: async () => {
        entries.delete(entry)
        if (entries.size === 0 && this.#byTopic.get(topic) === entries) this.#byTopic.delete(topic)
      },
    }
  }

  dispatch(topic: string, payload: unknown): void {
    for (const { handle } of [...(this.#byTopic.get(topic) ?? [])]) {
      try {
        handle(payload)
      } catch (error) {
        this.#log.error({ topic, err: error }, 'bus: subscriber failed')
      }
    }
  }
}
