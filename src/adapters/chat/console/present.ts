import type { Outgoing } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { toPrintable } from '../render/printable.ts'
import { renderMarkdown } from '../render/render-markdown.ts'
import { batchText } from './batch-text.ts'
import type { CardStyle } from './card-rows.ts'
import { cardText } from './card-text.ts'
import type { PrintedCards } from './printed-cards.ts'

export interface PresentStyle extends CardStyle {
  /** Whether markdown is rendered or printed as it is. */
  readonly rendered: boolean
  readonly printedCards: PrintedCards
  /** Text of the file of a card for several approvals. */
  readonly batchFile?: string | undefined
}

/** A message as printed text, '' if there is nothing new. Contains no control characters except the styles added here. */
export function present(message: Outgoing, style: PresentStyle): string {
  switch (message.kind) {
    case 'answer':
    case 'remark': {
      const { markdown } = message
      if (!style.rendered) return toPrintable(markdown)
      return renderMarkdown(markdown, style.columns ?? 80, style.paints)
    }
    case 'notice':
      return toPrintable([message.text, message.quoted ?? ''].filter(Boolean).join('\n\n'))
    case 'card':
      return cardText(message.card, style)
    case 'card_update':
      return style.printedCards.changes([message.card], style)
    case 'batch':
      return batchText(message.batch, style, style.batchFile)
    case 'batch_update':
      return style.printedCards.changes(message.batch.cards, style)
    default:
      return assertNever(message)
  }
}
