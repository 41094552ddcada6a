import { drawBatch } from '../../../../../src/adapters/chat/outgoing/send-batch.ts'
import { type CardView, drawCard } from '../../../../../src/adapters/chat/render/draw-card.ts'
import { drawLive, type RunningTurn } from '../../../../../src/adapters/chat/render/draw-live.ts'
import { drawMarkdown, drawNotice } from '../../../../../src/adapters/chat/render/draw-texts.ts'
import type { StatusView } from '../../../../../src/adapters/chat/render/runs/card-status.ts'
import {
  createSlackCanvas,
  type SlackMessage,
} from '../../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import type { BatchCard, Card } from '../../../../../src/domain/approval.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'

const slackCanvas = createSlackCanvas(english)

/* What Slack is sent. */

export function answerBlocks(markdown: string): SlackMessage[] {
  return drawMarkdown(slackCanvas, markdown)
}

export function noticeBlocks(text: string, quoted?: string): SlackMessage[] {
  return drawNotice(slackCanvas, text, quoted)
}

export function liveBlocks(turn: RunningTurn): SlackMessage {
  return drawLive(slackCanvas, turn)
}

export function cardBlocks(card: Card, view: CardView) {
  return drawCard(slackCanvas, card, view)
}

export function batchBlocks(batch: BatchCard, view: StatusView) {
  return drawBatch(slackCanvas, batch, view)
}
