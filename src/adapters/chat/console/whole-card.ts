import type { DeliveryContext, Outgoing } from '../../../ports/chat.ts'
import { collapseBlanks } from '../../../util/text/shorten.ts'

/** Replaces the excerpts of a card or notice with the complete text of its file, as a terminal has room for it. */
export async function wholeCard(message: Outgoing, context: DeliveryContext): Promise<Outgoing> {
  if (message.kind === 'notice' && message.file !== undefined) {
    const { file, ...notice } = message
    return { ...notice, quoted: textOf(await context.readAttachment(file.id)) }
  }
  if (message.kind !== 'card' || message.card.file === undefined) return message
  const { file, warning: _, ...card } = message.card
  const whole = textOf(await context.readAttachment(file.id))
  // The file also contains reasons, patterns and warning. The patterns stay, as they decide which keys are offered.
  return { kind: 'card', card: { ...card, what: collapseBlanks(whole), reasons: [] } }
}

/** Text of the file of a card for several approvals, if it has one. */
export async function wholeBatch(
  message: Outgoing,
  context: DeliveryContext,
): Promise<string | undefined> {
  if (message.kind !== 'batch' || message.batch.file === undefined) return undefined
  return collapseBlanks(textOf(await context.readAttachment(message.batch.file.id)))
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
