import {
  type BatchCard,
  type Card,
  type CardGroup,
  groupsOf,
  pendingCards,
} from '../../../domain/approval.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { Outgoing } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/guards.ts'
import { nameWords } from '../render/card-words.ts'
import { toPrintable, toPrintableLine } from '../render/printable.ts'
import { renderMarkdown } from '../render/render-markdown.ts'
import {
  boxed,
  type CardStyle,
  cardAmongOthers,
  cardText,
  cardUpdateText,
  headed,
  noteLines,
  whoLines,
} from './card-text.ts'

/** The last printed status of each card: a card and its copies change together, and each change is printed once. */
export class PrintedCards {
  readonly #printed = new Map<string, string>()

  /** New status lines of these cards; '' if nothing changed. */
  changes(cards: readonly Card[], style: CardStyle): string {
    return cards
      .filter((card) => !isNoteOnly(card))
      .map((card) => ({ id: card.approvalId, line: cardUpdateText(card, style) }))
      .filter(({ id, line }) => this.#isNew(id, line))
      .map(({ line }) => line)
      .join('\n')
  }

  #isNew(id: string, line: string): boolean {
    if (this.#printed.get(id) === line) return false
    this.#printed.set(id, line)
    return true
  }
}

interface PresentStyle extends CardStyle {
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

/** Whether the update is only a note on a pending card, which a notice of its own reports. Votes are reported by the card. */
export function isNoteOnly({ status, votes }: Card): boolean {
  return status.kind === 'waiting' && votes === undefined
}

/**
 * A card for several approvals (APPR-10): each with the content of its card, then who may decide and how to answer all at once.
 * `whole`: text of the batch's file, shown in place of the cards.
 */
function batchText(batch: BatchCard, style: CardStyle, whole?: string): string {
  const { paints } = style
  const [first] = batch.cards
  const { messages } = style
  const { display } = messages
  const where = first?.where === undefined ? '' : `${display.inPlace}${first.where}`
  const who = display.agentOf({ name: nameWords(messages, first?.requestedBy ?? '') })
  const title = `${who}${display.wantsCalls({ count: batch.cards.length })}${where}:`
  return [
    ...headed(title, style, paints.card),
    ...(whole === undefined
      ? groupsOf(batch.cards).flatMap((group) => groupRows(group, style))
      : wholeRows(whole, style)),
    ...pendingCards(batch)
      .slice(0, 1)
      .flatMap((card) => [...whoLines(card, style), ...noteLines(card, style)]),
    ...headed(howToAnswer(batch, style), style, paints.strong),
  ].join('\n')
}

/** CARD-04: alike calls below a line that counts them. */
function groupRows({ cards, where }: CardGroup, style: CardStyle): readonly string[] {
  const members = cards.flatMap((card) => cardAmongOthers(card, style))
  const [first] = cards
  if (first === undefined || cards.length === 1) return members
  const place = where === undefined ? '' : `${style.messages.display.inPlace}${where}`
  const title = `${cards.length} × ${first.does ?? first.tool}${place}`
  return [...headed(title, style, style.paints.card), ...members]
}

/** Continuation rows are indented more deeply than any line starts, so that they cannot pass for one (THREAT-23). */
function wholeRows(whole: string, style: CardStyle): string[] {
  return whole
    .split('\n')
    .flatMap((line) =>
      boxed(line, style, style.paints.plain, { indent: ' '.repeat(10), label: '    ' }),
    )
}

/** Short name of a batch for a line of the product. */
export function batchName({ terminal }: Messages, batch: BatchCard): string {
  const waiting = pendingCards(batch)
  const tools = [...new Set(waiting.map(({ tool }) => toPrintableLine(tool)))]
  return `${terminal.approvals({ count: waiting.length })} · ${tools.slice(0, 3).join(', ')}`
}

function howToAnswer(batch: BatchCard, { keys, messages: { terminal } }: CardStyle): string {
  if (pendingCards(batch).length === 0) return terminal.allAnswered
  if (keys) return terminal.thenEnter({ keys: terminal.batchKeys })
  return `/approve all · /deny all ${terminal.reason} · /approve n`
}
