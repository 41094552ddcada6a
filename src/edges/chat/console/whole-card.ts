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

/** What the file of a card for several questions holds, if it has one. */
export async function wholeBatch(
  message: Outgoing,
  context: DeliveryContext,
): Promise<string | undefined> {
  if (message.kind !== 'batch' || message.batch.file === undefined) return undefined
  return countBlanks(new TextDecoder().decode(await context.readAttachment(message.batch.file.id)))
}
