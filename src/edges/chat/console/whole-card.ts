import type { DeliveryContext, Outgoing } from '../../../ports/chat.ts'

/** A terminal has room: what went into a card's file is printed instead of the excerpts. */
export async function wholeCard(message: Outgoing, context: DeliveryContext): Promise<Outgoing> {
  if (message.kind !== 'card' || message.card.file === undefined) return message
  const { file, ...card } = message.card
  const content = await context.readAttachment(file.id)
  const what = new TextDecoder().decode(content)
  return { kind: 'card', card: { ...card, what, reasons: [], alwaysPatterns: card.alwaysPatterns } }
}
