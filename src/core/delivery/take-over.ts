import { isConnectionLoss } from '../../util/connection-loss.ts'

/**
 * Whether messages whose sender seems to be dead may be taken over. Not right after the database was away: the others
 * could not say that they live either, and may have sent what they could not record yet (CHAT-06).
 */
export class TakeOver {
  readonly #patienceMs: number
  #lostAt = -Infinity

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  get isSafe(): boolean {
    return performance.now() - this.#lostAt > this.#patienceMs
  }

  /** Does `work`, and notes when the database is away. */
  async watching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isConnectionLoss(error)) this.#lostAt = performance.now()
      throw error
    }
  }
}
