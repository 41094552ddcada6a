import type { types } from '@slack/bolt'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { isBlockRefusal } from './to-delivery.ts'

type Send<Result> = (message: SlackMessage) => Promise<Result>
export type ToPlain = (message: SlackMessage) => SlackMessage
export type Fallbacks = <Result>(
  message: SlackMessage,
  toPlain: ToPlain,
  send: Send<Result>,
) => Promise<Result>

/**
 * Creates fallbacks for refused blocks: the text is sent without styles, with its buttons (CHAT-05). If only the diff view was
 * refused, diffs are sent as plain code from then on (SLACK-05).
 */
export function createFallbacks(): Fallbacks {
  let hasDiffs = true
  return async (given, toPlain, send) => {
    const message = hasDiffs ? given : withoutDiffView(given)
    try {
      return await send(message)
    } catch (error) {
      if (!isBlockRefusal(error)) throw error
    }
    const plain = toPlain(message)
    if (!hasDiffView(message)) return send(plain)
    try {
      const result = await send(withoutDiffView(message))
      hasDiffs = false
      return result
    } catch (error) {
      if (!isBlockRefusal(error)) throw error
      return send(plain)
    }
  }
}

/** Whether a message contains a coloured diff. */
export function hasDiffView({ blocks }: SlackMessage): boolean {
  return blocks.some((block) => block.type === 'rich_text' && block.elements.some(isDiffView))
}

/** The message with its diffs as plain code. */
function withoutDiffView(message: SlackMessage): SlackMessage {
  const blocks = message.blocks.map((block) =>
    block.type === 'rich_text' ? { ...block, elements: block.elements.map(toCode) } : block,
  )
  return { ...message, blocks }
}

function toCode(part: types.RichTextBlockElement): types.RichTextBlockElement {
  if (part.type !== 'rich_text_preformatted') return part
  const { type, elements } = part
  return { type, elements }
}

function isDiffView(part: types.RichTextBlockElement): boolean {
  return part.type === 'rich_text_preformatted' && 'language' in part
}
