import { Refusal } from '../limits/refusal.ts'

interface TriggerState {
  readonly userId: string
  readonly at: number
  exchanged: boolean
}

/**
 * The trigger ids of what people did: each opens one modal, within 3 seconds.
 * https://docs.slack.dev/interactivity/handling-user-interaction says both.
 */
export class Triggers {
  maxAgeMs = 3000
  readonly #known = new Map<string, TriggerState>()
  readonly #now: () => number
  #next = 1

  constructor(now: () => number) {
    this.#now = now
  }

  add(userId: string): string {
    const number = this.#next++
    const id = `${4_000_000_000_000 + number}.${2_000_000_000}.${number.toString(16).padStart(32, '0')}`
    this.#known.set(id, { userId, at: this.#now(), exchanged: false })
    return id
  }

  /** Whose it was. A trigger is used up also by a view that is refused afterwards only if `spend` is called. */
  check(id: string): { readonly userId: string; spend(): void } {
    const state = this.#known.get(id)
    if (state === undefined) throw new Refusal('invalid_trigger_id')
    if (state.exchanged) throw new Refusal('exchanged_trigger_id')
    if (this.#now() - state.at > this.maxAgeMs) throw new Refusal('expired_trigger_id')
    return {
      userId: state.userId,
      spend: () => {
        state.exchanged = true
      },
    }
  }
}
