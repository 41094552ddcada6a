import { toApiFailure } from './api-failure.ts'

const known = ['message', 'callback_query'] as const
/** TG-06: `stopped_message_generation` came with Bot API 10.3; servers that do not know it should leave it out. */
const all = [...known, 'stopped_message_generation'] as const

export type WantedNames = typeof known | typeof all

/** The kinds of update that Telegram is asked for. */
export class WantedUpdates {
  #names: WantedNames = all

  /** Asks with their names; a server that refuses is asked for those that all servers know, then and from then on. */
  async ask<T>(call: (names: WantedNames) => Promise<T>): Promise<T> {
    try {
      return await call(this.#names)
    } catch (error) {
      if (this.#names === known || !isForTheNames(error)) throw error
      const answer = await call(known)
      this.#names = known
      return answer
    }
  }
}

function isForTheNames(error: unknown): boolean {
  const failure = toApiFailure(error)
  return failure.kind === 'rejected' && /update/i.test(failure.why)
}
