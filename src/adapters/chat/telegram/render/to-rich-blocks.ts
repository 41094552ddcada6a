import type { FoldedNotice } from '../../outgoing/messenger.ts'
import type { Run } from '../../render/runs/run.ts'
import { ownCommands } from './defuse.ts'

/** The variants used here of `RichText` (https://core.telegram.org/bots/api#richtext). */
type RichText =
  | string
  | { readonly type: 'code' | 'bold' | 'italic'; readonly text: string }
  | { readonly type: 'bot_command'; readonly text: string; readonly bot_command: string }
  | readonly RichText[]

/** The variants used here of `InputRichBlock` (https://core.telegram.org/bots/api#inputrichblock). */
export type RichBlock =
  | { readonly type: 'paragraph'; readonly text: RichText }
  | { readonly type: 'pre'; readonly text: string }
  | { readonly type: 'details'; readonly summary: string; readonly blocks: readonly RichBlock[] }

/** Renders a notice as blocks, in which no text is parsed as markup. */
export function toRichBlocks({ words, summary, box }: FoldedNotice): RichBlock[] {
  const paragraphs = linesOf(words).map((line): RichBlock => {
    return { type: 'paragraph', text: line.flatMap(toRichText) }
  })
  return [...paragraphs, { type: 'details', summary, blocks: [{ type: 'pre', text: box }] }]
}

/** Splits runs into lines and drops empty ones; a paragraph has no line breaks. */
function linesOf(words: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]]
  for (const run of words) {
    if (run.breaks !== undefined) lines.push([])
    else lines.at(-1)?.push(run)
  }
  return lines.filter((line) => line.some(({ text }) => text.trim() !== ''))
}

function toRichText({ text, marks }: Run): RichText[] {
  if (marks.code === true || marks.pre !== undefined) return [{ type: 'code', text }]
  if (marks.bold === true) return [{ type: 'bold', text }]
  if (marks.italic === true) return [{ type: 'italic', text }]
  const parts = text.split(ownCommands).map((part, index): RichText => {
    // Every second part is a command.
    return index % 2 === 0 ? part : { type: 'bot_command', text: part, bot_command: part }
  })
  return parts.filter((part) => part !== '')
}

/** Size of the blocks, counted as https://core.telegram.org/bots/api#rich-message-limits does. */
export function sizeOfBlocks(blocks: readonly RichBlock[]): {
  readonly characters: number
  readonly blocks: number
} {
  const sizes = blocks.map(sizeOfBlock)
  return {
    characters: sizes.reduce((sum, { characters }) => sum + characters, 0),
    blocks: sizes.reduce((sum, size) => sum + size.blocks, 0),
  }
}

function sizeOfBlock(block: RichBlock): ReturnType<typeof sizeOfBlocks> {
  if (block.type !== 'details') return { characters: lengthOf(block.text), blocks: 1 }
  const inner = sizeOfBlocks(block.blocks)
  return { characters: lengthOf(block.summary) + inner.characters, blocks: 1 + inner.blocks }
}

function lengthOf(text: RichText): number {
  if (typeof text === 'string') return [...text].length
  if ('text' in text) return [...text.text].length
  return text.reduce((sum, part) => sum + lengthOf(part), 0)
}
