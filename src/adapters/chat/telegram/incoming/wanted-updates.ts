import { toApiFailure } from './api-failure.ts'

const basicNames = ['message', 'callback_query'] as const
/** `stopped_message_generation` is part of Bot API 10.3; older servers should ignore it (TG-06). */
const allNames = [...basicNames, 'stopped_message_generation'] as const

export type UpdateNames = typeof basicNames | typeof allNames

/** The kinds of update that are requested from Telegram. */
export class WantedUpdates {
  #names: UpdateNames = allNames

  /** Calls with all kinds; if the server refuses an unknown one, repeats with the basic kinds, and uses those from then on. */
  async request<T>(call: (names: UpdateNames) => Promise<T>): Promise<T> {
    try {
      return await call(this.#names)
    } catch (error) {
      if (this.#names === basicNames || !concernsNames(error)) throw error
      const answer = await call(basicNames)
      this.#names = basicNames
      return answer
    }
  }
}

function concernsNames(error: unknown): boolean {
  const failure = toApiFailure(error)
  return failure.kind === 'rejected' && /update/i.test(failure.why)
}
