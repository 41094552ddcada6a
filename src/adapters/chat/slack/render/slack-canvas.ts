import type { types } from '@slack/bolt'
import type { Canvas } from '../../render/canvas.ts'
import { headOf } from '../../render/runs/cut-text.ts'
import { type Marks, type Run, run, textOf } from '../../render/runs/run.ts'
import type { Size, SizeOf } from '../../render/runs/size.ts'
import { escapeText } from './escape-text.ts'
import { looksLike, toRichText } from './to-rich-text.ts'

/** `entities` are characters of JSON: Slack's limit of all blocks together counts more than their text. */
const sizeOf: SizeOf = (text, marks, neighbour) => {
  const goesOn = neighbour !== undefined && looksLike(neighbour, marks)
  return { units: text.length, entities: jsonLength(text) + (goesOn ? 0 : frameLength(marks)) }
}

/** A message as Slack shows it, and its words for notifications and for readers that show no blocks. */
export interface SlackMessage {
  readonly blocks: readonly types.KnownBlock[]
  /** Escaped. */
  readonly text: string
}

/**
 * Slack refuses more than 50 blocks, and about 13,000 characters over all of them, of which it does not tell how it counts;
 * people met that limit between their text and their JSON. The JSON stays below it, with room for a card's buttons.
 */
const messageLimit: Size = { units: 8_000, entities: 11_000 }
/** Leaves room in a message for the line that says what is being done, or for many buttons. */
const liveLimit: Size = { units: 3_500, entities: 5_000 }
/** Of what notifications show; chat.update refuses more than 4,000 with what was escaped. */
const longestText = 3_000

/** Marked text as `rich_text` blocks. */
export const slackCanvas: Canvas<SlackMessage> = {
  limit: messageLimit,
  liveLimit,
  sizeOf,
  // Text in these blocks is shown as it is.
  defuse: (runs) => runs,
  draw,
}

function draw(runs: readonly Run[]): SlackMessage {
  const elements = toRichText(runs)
  return {
    blocks: [{ type: 'rich_text', elements }],
    text: wordsOf(runs),
  }
}

/** Not cut within an escaped character. */
function wordsOf(runs: readonly Run[]): string {
  return headOf(escapeText(headOf(textOf(runs), longestText)), longestText).replace(/&[a-z]*$/, '')
}

function jsonLength(text: string): number {
  return JSON.stringify(text).length - '""'.length
}

/** Of what stands around a stretch of text, as if it were alone in its part. */
function frameLength(marks: Marks): number {
  return JSON.stringify(toRichText([run('x', marks)])).length
}
