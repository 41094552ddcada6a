import type { DeliveryContext, Outgoing } from '../../../ports/chat.ts'
import { countBlanks } from '../../../util/count-blanks.ts'

/** A terminal has room: what went into a card's file is printed instead of the excerpts. */
export async function wholeCard(message: Outgoing, context: DeliveryContext): Promise<Outgoing> {
  if (message.kind !== 'card' || message.card.file === undefined) return message
  const { file, warning: _, ...card } = message.card
  const whole = new TextDecoder().decode(await context.readAttachment(file.id))
  // Why, the patterns and the warning are in the file too; which patterns there are decides what keys answer.
  return { kind: 'card', card: { ...card, what: countBlanks(whole), reasons: [] } }
}

/** A card that waits as before, with a note on it: what was noted is told in words of its own. */
export function isOnlyNoted(message: Outgoing): boolean {
  return message.kind === 'card_update' && message.card.status.kind === 'waiting'
}
