import type { types } from '@slack/bolt'
import type { SlackMessage } from '../render/slack-canvas.ts'
import { isForBlocks } from './to-delivery.ts'

type Send<Result> = (message: SlackMessage) => Promise<Result>
export type ToPlain = (message: SlackMessage) => SlackMessage
export type Fallbacks = <Result>(
  message: SlackMessage,
  toPlain: ToPlain,
  send: Send<Result>,
) => Promise<Result>

/**
 * CHAT-05: where blocks are refused, the words go without looks; buttons stay. SLACK-05: where it is the diff view that is
 * refused, diffs go as code, and are not tried as more again.
 */
export function createFallbacks(): Fallbacks {
  let hasDiffs = true
  return async (given, toPlain, send) => {
    const message = hasDiffs ? given : withoutDiffView(given)
    try {
      return await send(message)
    } catch (error) {
      if (!isForBlocks(error)) throw error
    }
    const plain = toPlain(message)
    if (!hasDiffView(message)) return send(plain)
    try {
      const result = await send(withoutDiffView(message))
      hasDiffs = false
      return result
    } catch (error) {
      if (!isForBlocks(error)) throw error
      return send(plain)
    }
  }
}

/** Whether any of a message's code is coloured as a diff. */
export function hasDiffView({ blocks }: SlackMessage): boolean {
  return blocks.some((block) => block.type === 'rich_text' && block.elements.some(isDiffView))
}

/** The same message with its diffs as code like any other. */
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
