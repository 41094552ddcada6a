import { setTimeout as delay } from 'node:timers/promises'
import { isConnectionLoss } from '../util/connection-loss.ts'

/** Short: once the database is back, whoever has sent something must be faster than whoever takes their claim over. */
const pauseMs = 250

/**
 * Stores what has happened outside already, however long the database is away: it would be done again by whoever found
 * it unrecorded (CHAT-06). `work` is repeated whole, and may have been done when its connection broke. What fails for
 * another reason throws.
 */
export async function whenBack<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      await delay(pauseMs)
    }
  }
}
