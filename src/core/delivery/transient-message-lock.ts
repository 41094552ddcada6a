import { findApproval } from '../../db/approval/approvals.ts'
import { insertStopToken } from '../../db/approval/callback-tokens.ts'
import { claimLiveMessage, releaseLiveMessage } from '../../db/outbox/live-messages.ts'
import { hasOutgoingNow } from '../../db/outbox/outbox.ts'
import type { Db } from '../../db/schema.ts'
import { findConversation } from '../../db/turn/conversations.ts'
import { isAtWork } from '../../db/turn/turn-activity.ts'
import type { LiveSubject, TransientMessageLock } from '../../ports/chat.ts'
import { sha256 } from '../../util/digest.ts'
import { assertNever } from '../../util/guards.ts'
import { newToken } from '../../util/ids.ts'
import { readCard } from '../card/read-card.ts'
import type { CoreContext } from '../context.ts'
import { attempt } from '../transaction.ts'

/** Time an adapter may take for one live change, and lease of the right to it, in milliseconds. */
const showMs = 7_000
const claimMs = 10_000

/**
 * Creates the lock for live messages of a platform. A live update claims first, then checks for lasting messages; a lasting
 * message is claimed first, then checks for this claim. So one of two always sees the other, and no live update overwrites a
 * lasting message.
 */
export function createTransientMessageLock(
  ctx: CoreContext,
  platform: string,
): TransientMessageLock {
  return {
    hold: async (place, about, show) => {
      const { db } = ctx
      const conversation = await findConversation(db, platform, place)
      if (conversation === undefined) return false
      const claimedAt = performance.now()
      const claim = await claimLiveMessage(db, conversation.id, claimMs)
      if (claim === undefined) return false
      let shown: string | undefined
      try {
        if (!(await isFree(db, conversation.id, about))) return false
        // A slow database has used up the claim.
        if (performance.now() - claimedAt > claimMs - showMs) return false
        shown = await show(claim.messageId, () => mintStop(db, conversation.id, about))
        return true
      } finally {
        await releaseLiveMessage(db, conversation.id, claim, passing(about, shown))
        await hurry(ctx, conversation.id)
      }
    },
  }
}

async function isFree(db: Db, conversationId: string, about: LiveSubject): Promise<boolean> {
  return !(await hasOutgoingNow(db, conversationId)) && (await isCurrent(db, about))
}

async function mintStop(db: Db, conversationId: string, about: LiveSubject): Promise<string> {
  const token = newToken()
  const turnId = await turnOf(db, about)
  await insertStopToken(db, { turnId, conversationId, sha256: sha256(token) })
  return token
}

async function turnOf(db: Db, about: LiveSubject): Promise<string> {
  if (about.kind === 'turn') return about.turnId
  const approval = await findApproval(db, about.approvalId)
  if (approval === undefined) throw new Error('the approval of this card was deleted')
  return approval.turn_id
}

function passing(about: LiveSubject, id: string | undefined) {
  return id === undefined || about.kind !== 'turn' ? undefined : { id, turnId: about.turnId }
}

/** Wakes delivery of messages that waited for the claim. */
function hurry(ctx: CoreContext, conversationId: string): Promise<void> {
  return attempt(ctx, 'wake delivery', async () => {
    if (await hasOutgoingNow(ctx.db, conversationId)) {
      await ctx.signals.outboxDue(conversationId)
    }
  })
}

async function isCurrent(db: Db, about: LiveSubject): Promise<boolean> {
  switch (about.kind) {
    case 'turn':
      return isAtWork(db, about.turnId, about.epoch)
    case 'card': {
      const approval = await findApproval(db, about.approvalId)
      return approval !== undefined && readCard(approval).status.kind === 'running'
    }
    default:
      return assertNever(about)
  }
}
