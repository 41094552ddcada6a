import { badRequest } from './limits/refusal.ts'

/** What a bot said to a tap. */
export interface CallbackAnswer {
  /** Empty: nothing is shown. */
  readonly text: string
  readonly show_alert: boolean
  /** Unix milliseconds. */
  readonly at: number
}

export interface CallbackState {
  readonly id: string
  readonly at: number
  answer: CallbackAnswer | undefined
}

/** The taps of people on a bot's buttons; each can be answered once, and not for ever. */
export class CallbackQueries {
  readonly #known = new Map<string, CallbackState>()
  #next = 4_611_686_018_427_387_904n

  add(at: number): CallbackState {
    this.#next += 7_919n
    const state: CallbackState = { id: String(this.#next), at, answer: undefined }
    this.#known.set(state.id, state)
    return state
  }

  answer(id: string | undefined, answer: CallbackAnswer, maxAgeMs: number): void {
    const state = id === undefined ? undefined : this.#known.get(id)
    const tooOld = state !== undefined && answer.at - state.at > maxAgeMs
    if (state === undefined || tooOld || state.answer !== undefined) {
      throw badRequest('query is too old and response timeout expired or query ID is invalid')
    }
    if (answer.text.length > 200) throw badRequest('MESSAGE_TOO_LONG')
    state.answer = answer
  }
}
