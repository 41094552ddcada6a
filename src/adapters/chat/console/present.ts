import type { Outgoing } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { toPrintable } from '../render/printable.ts'
import { renderMarkdown } from '../render/render-markdown.ts'
import { batchText } from './batch-text.ts'
import type { CardStyle } from './card-rows.ts'
import { cardText } from './card-text.ts'
import type { ToldCards } from './told-cards.ts'

export interface PresentStyle extends CardStyle {
  /** Whether markdown is rendered; else it is printed as it is. */
  readonly rendered: boolean
  readonly told: ToldCards
  /** What the file of a card for several questions holds. */
  readonly whole?: string | undefined
}

/** A message as it is printed, empty where there is nothing new to tell: free of control characters, save the styles that are put on here. */
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
      return style.told.news([message.card], style)
    case 'batch':
      return batchText(message.batch, style, style.whole)
    case 'batch_update':
      return style.told.news(message.batch.cards, style)
    default:
      return assertNever(message)
  }
}
