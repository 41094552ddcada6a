import { drawBatch } from '../../../../../src/adapters/chat/outgoing/send-batch.ts'
import { type CardView, drawCard } from '../../../../../src/adapters/chat/render/draw-card.ts'
import { drawLive, type RunningTurn } from '../../../../../src/adapters/chat/render/draw-live.ts'
import { drawMarkdown, drawNotice } from '../../../../../src/adapters/chat/render/draw-texts.ts'
import type { StatusView } from '../../../../../src/adapters/chat/render/runs/card-status.ts'
import { createTelegramCanvas } from '../../../../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import type { BatchCard, Card } from '../../../../../src/domain/approval.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'

const telegramCanvas = createTelegramCanvas(english)

/* What Telegram is sent. */

export function toTelegramHtml(markdown: string): string[] {
  return drawMarkdown(telegramCanvas, markdown)
}

export function noticeHtml(text: string, quoted?: string): string[] {
  return drawNotice(telegramCanvas, text, quoted)
}

export function liveHtml(turn: RunningTurn): string {
  return drawLive(telegramCanvas, turn)
}

export function cardHtml(card: Card, view: CardView) {
  const { drawn: html, isWhole } = drawCard(telegramCanvas, card, view)
  return { html, isWhole }
}

export function batchHtml(batch: BatchCard, view: StatusView) {
  const { drawn: html, isWhole } = drawBatch(telegramCanvas, batch, view)
  return { html, isWhole }
}
