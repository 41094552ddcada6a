import type { types } from '@slack/bolt'
import { headOf } from '../../render/runs/cut-text.ts'
import type { SlackMessage } from './slack-canvas.ts'

/** Slack takes 3,000 UTF-16 units of plain text a section. */
const sectionLength = 2_900

/** The same words in blocks that every workspace takes, without looks. */
export function toPlainBlocks({ blocks, text }: SlackMessage): SlackMessage {
  return { text, blocks: partsOf(blocks.map(wordsOf).join('\n')).map(toSection) }
}

/** The same for an edit: where `rich_text` stood, chat.update takes nothing but that (`block_mismatch`). */
export function toPlainRichText({ blocks, text }: SlackMessage): SlackMessage {
  const words = blocks.map(wordsOf).join('\n')
  const element = { type: 'text' as const, text: words.trim() === '' ? '·' : words }
  const section = { type: 'rich_text_section' as const, elements: [element] }
  return { text, blocks: [{ type: 'rich_text', elements: [section] }] }
}

function partsOf(words: string): string[] {
  const parts: string[] = []
  let rest = words
  do {
    const part = headOf(rest, sectionLength)
    parts.push(part)
    rest = rest.slice(part.length)
  } while (rest !== '')
  return parts
}

function toSection(text: string): types.SectionBlock {
  const words = text.trim() === '' ? '·' : text
  return { type: 'section', text: { type: 'plain_text', text: words, emoji: false } }
}

function wordsOf(block: types.KnownBlock): string {
  if (block.type !== 'rich_text') return ''
  return block.elements.map((part) => part.elements.map(wordOf).join('')).join('\n')
}

function wordOf(element: types.RichTextElement | types.RichTextSection): string {
  if (element.type === 'text') return element.text
  return element.type === 'link' ? `${element.text ?? ''} (${element.url})` : ''
}
