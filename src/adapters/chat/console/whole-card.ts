import type { DeliveryContext, Outgoing } from '../../../ports/chat.ts'
import { countBlanks } from '../../../util/text/count-blanks.ts'

/** A terminal has room: what went into the file of a card or a notice is printed instead of the excerpts. */
export async function wholeCard(message: Outgoing, context: DeliveryContext): Promise<Outgoing> {
  if (message.kind === 'notice' && message.file !== undefined) {
    const { file, ...notice } = message
    return { ...notice, quoted: textOf(await context.readAttachment(file.id)) }
  }
  if (message.kind !== 'card' || message.card.file === undefined) return message
  const { file, warning: _, ...card } = message.card
  const whole = textOf(await context.readAttachment(file.id))
  // Why, the patterns and the warning are in the file too; which patterns there are decides what keys answer.
  return { kind: 'card', card: { ...card, what: countBlanks(whole), reasons: [] } }
}

/** What the file of a card for several questions holds, if it has one. */
export async function wholeBatch(
  message: Outgoing,
  context: DeliveryContext,
): Promise<string | undefined> {
  if (message.kind !== 'batch' || message.batch.file === undefined) return undefined
  return countBlanks(textOf(await context.readAttachment(message.batch.file.id)))
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
