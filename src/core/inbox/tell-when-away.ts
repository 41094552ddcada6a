import { getSession } from '../../db/turn/sessions.ts'
import { getTurn } from '../../db/turn/turns.ts'
import type { Signals } from '../../ports/signals.ts'
import { dropOldest } from '../../util/drop-oldest.ts'
import type { CoreContext } from '../context.ts'
import { notice, transact } from '../transaction.ts'

const pauseMs = 60_000
const rememberedConversations = 1_000

/**
 * Signals of a process that takes in messages: if a turn cannot be queued, its conversation is notified (STORE-04), at most once
 * a minute. Another process may notify as well; nothing is stored but the message.
 */
export function notifyWhenQueueAway(ctx: CoreContext): Signals {
  const toldAt = new Map<string, number>()
  return {
    ...ctx.signals,
    turnDue: async (turnId, epoch) => {
      try {
        await ctx.signals.turnDue(turnId, epoch)
      } catch (error) {
        await notifyQueueAway(ctx, turnId, toldAt)
        throw error
      }
    },
  }
}

async function notifyQueueAway(
  ctx: CoreContext,
  turnId: string,
  toldAt: Map<string, number>,
): Promise<void> {
  const turn = await getTurn(ctx.db, turnId)
  const { conversation_id: conversationId } = await getSession(ctx.db, turn.session_id)
  const last = toldAt.get(conversationId)
  if (last !== undefined && performance.now() - last < pauseMs) return
  toldAt.delete(conversationId)
  toldAt.set(conversationId, performance.now())
  dropOldest(toldAt, rememberedConversations)
  await transact(ctx, (tx) =>
    notice(tx, conversationId, ctx.messages.inbox.queueAway, turn.caller_id),
  )
}
