import { getSession } from '../../db/turn/sessions.ts'
import { getTurn } from '../../db/turn/turns.ts'
import type { Signals } from '../../ports/signals.ts'
import { dropOldest } from '../../util/drop-oldest.ts'
import type { CoreContext } from '../context.ts'
import { notice } from '../outbox/post.ts'
import { transact } from '../transaction.ts'

const pauseMs = 60_000
const rememberedConversations = 1_000
const words = 'The queue is away; this is kept, and goes on by itself when the queue is back.'

/**
 * The signals of who hands on what people say: where a turn cannot be handed on, its conversation is told why nothing
 * happens (STORE-04), at most once a minute. Another process may tell the same: nothing is kept of it but the message.
 */
export function tellWhenAway(ctx: CoreContext): Signals {
  const toldAt = new Map<string, number>()
  return {
    ...ctx.signals,
    turnDue: async (turnId, epoch) => {
      try {
        await ctx.signals.turnDue(turnId, epoch)
      } catch (error) {
        await tell(ctx, turnId, toldAt)
        throw error
      }
    },
  }
}

async function tell(ctx: CoreContext, turnId: string, toldAt: Map<string, number>): Promise<void> {
  const turn = await getTurn(ctx.db, turnId)
  const { conversation_id: conversationId } = await getSession(ctx.db, turn.session_id)
  const last = toldAt.get(conversationId)
  if (last !== undefined && performance.now() - last < pauseMs) return
  toldAt.delete(conversationId)
  toldAt.set(conversationId, performance.now())
  dropOldest(toldAt, rememberedConversations)
  await transact(ctx, (tx) => notice(tx, conversationId, words, turn.caller_id))
}
