import { findApproval } from '../../db/approval/approvals.ts'
import { insertStopToken } from '../../db/approval/callback-tokens.ts'
import { claimLiveMessage, releaseLiveMessage } from '../../db/outbox/live-messages.ts'
import { hasOutgoingNow } from '../../db/outbox/outbox.ts'
import type { Db } from '../../db/schema.ts'
import { findConversation } from '../../db/turn/conversations.ts'
import { isAtWork } from '../../db/turn/turns-at-work.ts'
import type { LiveSubject, TransientMessageLock } from '../../ports/chat.ts'
import { assertNever } from '../../util/assert-never.ts'
import { newToken } from '../../util/new-token.ts'
import { sha256 } from '../../util/sha256.ts'
import { readCard } from '../card/read-card.ts'
import type { CoreContext } from '../context.ts'
import { attempt } from '../retry.ts'

/** How long an adapter may take for one passing change, and how long the right to it is claimed, in milliseconds. */
const showMs = 7_000
const claimMs = 10_000

/**
 * Where passing messages of a platform show. Whoever shows claims first and then looks whether something lasting waits;
 * whoever sends something lasting claims that first and then looks for a claim here. So one of two that meet always
 * sees the other, and nothing passing is written over what lasts.
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
        // A database that took its time has used up the claim.
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
  if (approval === undefined) throw new Error('the question of this card is gone')
  return approval.turn_id
}

function passing(about: LiveSubject, id: string | undefined) {
  return id === undefined || about.kind !== 'turn' ? undefined : { id, turnId: about.turnId }
}

/** What came meanwhile has waited for us. */
function hurry(ctx: CoreContext, conversationId: string): Promise<void> {
  return attempt(ctx, 'deliver what waited', async () => {
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
