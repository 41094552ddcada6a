import { findApproval } from '../../db/approvals.ts'
import { findConversation } from '../../db/conversations.ts'
import { claimLiveMessage, releaseLiveMessage } from '../../db/live-messages.ts'
import { hasOutgoingNow } from '../../db/outbox.ts'
import type { Db } from '../../db/schema.ts'
import { findTurn } from '../../db/turns.ts'
import type { LiveStage, LiveSubject } from '../../ports/chat.ts'
import { assertNever } from '../../util/assert-never.ts'
import { attempt } from '../kernel/attempt.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { readCard } from './cards.ts'

/** Longer than a platform is given for one passing change. */
const claimMs = 10_000

/**
 * Where passing messages of a platform show. Whoever shows claims first and then looks whether something lasting waits;
 * whoever sends something lasting claims that first and then looks for a claim here. So one of two that meet always
 * sees the other, and nothing passing is written over what lasts.
 */
export function createLiveStage(kernel: Kernel, platform: string): LiveStage {
  return {
    hold: async (place, about, show) => {
      const { db } = kernel
      const conversation = await findConversation(db, platform, place)
      if (conversation === undefined) return false
      const claim = await claimLiveMessage(db, conversation.id, claimMs)
      if (claim === undefined) return false
      let shown: string | undefined
      try {
        if ((await hasOutgoingNow(db, conversation.id)) || !(await isCurrent(db, about))) {
          return false
        }
        shown = await show(claim.messageId)
        return true
      } finally {
        const message =
          shown === undefined || about.kind !== 'turn'
            ? undefined
            : { id: shown, turnId: about.turnId }
        await releaseLiveMessage(db, conversation.id, message)
        await hurry(kernel, conversation.id)
      }
    },
  }
}

/** What came meanwhile has waited for us. */
function hurry(kernel: Kernel, conversationId: string): Promise<void> {
  return attempt(kernel, 'deliver what waited', async () => {
    if (await hasOutgoingNow(kernel.db, conversationId)) {
      await kernel.signals.outboxDue(conversationId)
    }
  })
}

async function isCurrent(db: Db, about: LiveSubject): Promise<boolean> {
  switch (about.kind) {
    case 'turn': {
      const turn = await findTurn(db, about.turnId)
      return turn?.epoch === about.epoch && (turn.state === 'thinking' || turn.state === 'acting')
    }
    case 'card': {
      const approval = await findApproval(db, about.approvalId)
      return approval !== undefined && readCard(approval).status.kind === 'running'
    }
    default:
      return assertNever(about)
  }
}
