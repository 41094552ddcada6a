import { type BatchCard, pendingCards } from '../../../domain/batch-card.ts'
import { nameWords } from '../render/card-words.ts'
import { toPrintableLine } from '../render/printable.ts'
import { boxed, type CardStyle, headed } from './card-rows.ts'
import { cardAmongOthers, noteLines, whoLines } from './card-text.ts'
import { batchKeys } from './key-words.ts'

/**
 * A card for several approvals (APPR-10): each with the content of its card, then who may decide and how to answer all at once.
 * `whole`: text of the batch's file, shown in place of the cards.
 */
export function batchText(batch: BatchCard, style: CardStyle, whole?: string): string {
  const { paints } = style
  const [first] = batch.cards
  const title = `? ${batch.cards.length} calls for ${nameWords(first?.requestedBy ?? '')}`
  return [
    ...headed(title, style, paints.card),
    ...(whole === undefined
      ? batch.cards.flatMap((card) => cardAmongOthers(card, style))
      : wholeRows(whole, style)),
    ...pendingCards(batch)
      .slice(0, 1)
      .flatMap((card) => [...whoLines(card, style), ...noteLines(card, style)]),
    ...headed(howToAnswer(batch, style), style, paints.strong),
  ].join('\n')
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
export function batchName(batch: BatchCard): string {
  const waiting = pendingCards(batch)
  const tools = [...new Set(waiting.map(({ tool }) => toPrintableLine(tool)))]
  return `${waiting.length} questions · ${tools.slice(0, 3).join(', ')}`
}

function howToAnswer(batch: BatchCard, { keys }: CardStyle): string {
  if (pendingCards(batch).length === 0) return 'all are answered'
  return keys ? `${batchKeys}, then Enter` : '/approve all · /deny all reason · /approve n'
}
