import type { types } from '@slack/bolt'
import type { SlackMessage } from './slack-canvas.ts'

/** Whether any of a message's code is coloured as a diff. */
export function hasDiffView({ blocks }: SlackMessage): boolean {
  return blocks.some((block) => block.type === 'rich_text' && block.elements.some(isDiffView))
}

/** The same message with its diffs as code like any other. */
export function withoutDiffView(message: SlackMessage): SlackMessage {
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
