import type { Card } from '../../src/domain/approval.ts'
import type { ChatPlatform, Delivery, LiveEvent, Outgoing } from '../../src/ports/chat.ts'

/** What a test platform saw: every message in order, with the card states as they were shown. */
export interface RecordingPlatform extends ChatPlatform {
  readonly sent: readonly Outgoing[]
  readonly lives: readonly LiveEvent[]
  /** The words of answers and notices, in order. */
  texts(): string[]
  answers(): string[]
  /** The latest state of every card shown, by the order of first showing. */
  cards(): Card[]
  /** Every state a card went through. */
  statesOf(number: number): string[]
}

/** A chat platform that delivers into memory. `refuse` decides what becomes of a message instead. */
export function createRecordingPlatform(
  name = 'test',
  refuse: (message: Outgoing, index: number) => Delivery | undefined = () => undefined,
): RecordingPlatform {
  const sent: Outgoing[] = []
  const lives: LiveEvent[] = []
  let tries = 0
  return {
    name,
    sent,
    lives,
    deliver: async (_conversation, message) => {
      const refused = refuse(message, tries++)
      if (refused !== undefined) return refused
      sent.push(message)
      return { kind: 'sent', messageId: String(sent.length) }
    },
    live: (_conversation, event) => {
      lives.push(event)
    },
    texts: () => sent.flatMap(wordsOf),
    answers: () => sent.flatMap((message) => (message.kind === 'answer' ? [message.markdown] : [])),
    cards: () => [...new Map(cardsIn(sent).map((card) => [card.approvalId, card])).values()],
    statesOf: (number) =>
      cardsIn(sent)
        .filter((card) => card.number === number)
        .map((card) => card.status.kind),
  }
}

function wordsOf(message: Outgoing): string[] {
  if (message.kind === 'answer') return [message.markdown]
  if (message.kind !== 'notice') return []
  const { text, quoted } = message
  return [quoted === undefined ? text : `${text}\n\n${quoted}`]
}

function cardsIn(sent: readonly Outgoing[]): Card[] {
  return sent.flatMap((message) =>
    message.kind === 'card' || message.kind === 'card_update' ? [message.card] : [],
  )
}
