import type { Outgoing } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { toPrintable } from '../render/printable.ts'
import { renderMarkdown } from '../render/render-markdown.ts'
import { type CardStyle, cardText, cardUpdateText } from './card-text.ts'

export interface PresentStyle extends CardStyle {
  /** Whether markdown is rendered; else it is printed as it is. */
  readonly rendered: boolean
}

/** A message as it is printed: free of control characters, save the styles that are put on here. */
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
      return cardUpdateText(message.card, style)
    default:
      return assertNever(message)
  }
}
