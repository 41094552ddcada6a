import { setTimeout as delay } from 'node:timers/promises'
import type { ClaimedMessage } from '../../db/outbox.ts'
import { isConnectionLoss } from '../../util/connection-loss.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { settleDelivery, type Tried } from './settle-delivery.ts'

/** Short: once the database is back this must be faster than whoever takes the claim over. */
const pauseMs = 250

/**
 * Stores what became of a message, however long the database is away: the message is out, and would be sent again by
 * whoever found it unrecorded (CHAT-06). Answers as `settleDelivery` does.
 */
export async function settleSurely(
  kernel: Kernel,
  row: ClaimedMessage,
  tried: Tried,
): Promise<number | undefined> {
  for (;;) {
    try {
      return await settleDelivery(kernel, row, tried)
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      await delay(pauseMs)
    }
  }
}
