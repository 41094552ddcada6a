import { type BatchCard, pendingCards } from '../../../domain/batch-card.ts'
import { nameWords } from '../render/card-words.ts'
import { toPrintableLine } from '../render/printable.ts'
import { boxed, type CardStyle, headed } from './card-rows.ts'
import { cardAmongOthers, noteLines, whoLines } from './card-text.ts'
import { batchKeys } from './key-words.ts'

/**
 * APPR-10: every question with what its card says, and below them who may answer and how to answer all in one go. `whole`: what stands in the file
 * instead.
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

/** THREAT-23: what a line is broken into stands deeper than any line begins, so that it cannot pose as one. */
function wholeRows(whole: string, style: CardStyle): string[] {
  return whole
    .split('\n')
    .flatMap((line) => boxed(line, ' '.repeat(10), style, style.paints.plain, '    '))
}

/** What it is called in a line of ours. */
export function batchName(batch: BatchCard): string {
  const waiting = pendingCards(batch)
  const tools = [...new Set(waiting.map(({ tool }) => toPrintableLine(tool)))]
  return `${waiting.length} questions · ${tools.slice(0, 3).join(', ')}`
}

function howToAnswer(batch: BatchCard, { keys }: CardStyle): string {
  if (pendingCards(batch).length === 0) return 'all are answered'
  return keys ? `${batchKeys}, then Enter` : '/approve all · /deny all reason · /approve n'
}
