import { findApproval } from '../../db/approval/approvals.ts'
import type { ClaimedMessage } from '../../db/outbox/outbox-claims.ts'
import type { Card } from '../../domain/approval.ts'
import type { Outgoing } from '../../ports/chat.ts'
import type { EventOf } from '../../ports/observer.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Tried } from './settle-delivery.ts'

/** One try to send a message, once it is stored what became of it. */
export interface Sending {
  readonly platform: string
  readonly row: ClaimedMessage
  readonly message: Outgoing
  readonly tried: Tried
  /** It waits for another try. */
  readonly isPutOff: boolean
  /** How long it waited for this try, and how long the try took. */
  readonly waitedMs: number
  readonly ms: number
}

/** Tells what became of a message, under the turn that it belongs to. */
export async function tellDelivered(kernel: Kernel, sending: Sending): Promise<void> {
  const { platform, row, message, waitedMs, ms } = sending
  const turnId = await turnOf(kernel, message)
  kernel.observer.told({
    kind: 'delivered',
    platform,
    what: message.kind,
    outcome: outcomeOf(sending),
    conversationId: row.conversation_id,
    outboxId: row.id,
    ...(turnId === undefined ? {} : { turnId }),
    waitedMs,
    ms,
  })
}

/** A notice is of no turn, and of a card its first showing is what somebody waits for. */
async function turnOf({ db }: Kernel, message: Outgoing): Promise<string | undefined> {
  if (message.kind === 'answer' || message.kind === 'remark') return message.turnId
  const [card] = cardsOf(message)
  return card === undefined ? undefined : (await findApproval(db, card.approvalId))?.turn_id
}

function cardsOf(message: Outgoing): readonly Card[] {
  if (message.kind === 'card') return [message.card]
  return message.kind === 'batch' ? message.batch.cards : []
}

function outcomeOf({ tried, isPutOff }: Sending): EventOf<'delivered'>['outcome'] {
  if (tried.kind === 'sent') return 'sent'
  if (isPutOff) return 'put_off'
  return tried.kind === 'refused' && tried.isGone === true ? 'gone' : 'given_up'
}
