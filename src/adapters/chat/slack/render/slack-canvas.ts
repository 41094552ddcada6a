import type { types } from '@slack/bolt'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Canvas } from '../../render/canvas.ts'
import { headOf } from '../../render/runs/cut-text.ts'
import { type Marks, type Run, run, textOf } from '../../render/runs/run.ts'
import type { Size, SizeOf } from '../../render/runs/size.ts'
import { hasSameStyle, toRichText } from './to-rich-text.ts'

/** Names that notify everyone, which chat.update recognises in plain text too. */
const everybody = /@(?=here|channel|everyone|group)/gi

const wordJoiner = '\u2060'

/** `entities` counts JSON characters, as Slack's limit over all blocks counts more than their text. */
const sizeOf: SizeOf = (text, marks, neighbour) => {
  const continues = neighbour !== undefined && hasSameStyle(neighbour, marks)
  return { units: text.length, entities: jsonLength(text) + (continues ? 0 : frameLength(marks)) }
}

/** A message in blocks, and its text for notifications and clients without blocks. */
export interface SlackMessage {
  readonly blocks: readonly types.KnownBlock[]
  /** Escaped. */
  readonly text: string
}

/**
 * Slack refuses more than 50 blocks, and about 13,000 characters over all blocks in an undocumented way of counting; users have
 * observed the limit between text and JSON size. Our JSON stays below it, with room for a card's buttons.
 */
const messageLimit: Size = { units: 8_000, entities: 11_000 }

/** Leaves room for the status line, or for many buttons. */
const liveLimit: Size = { units: 3_500, entities: 5_000 }

/** Limit of the notification text; chat.update refuses more than 4,000 characters after escaping. */
const longestText = 3_000

/** Renders marked text as `rich_text` blocks. */
export const createSlackCanvas = (messages: Messages): Canvas<SlackMessage> => ({
  messages,
  limit: messageLimit,
  liveLimit,
  sizeOf,
  labelLength: 30,
  // Text in these blocks is not parsed.
  makeInert: (runs) => runs,
  draw,
})

function draw(runs: readonly Run[], name?: string): SlackMessage {
  const elements = toRichText(runs)
  return {
    blocks: [{ type: 'rich_text', elements }],
    text: wordsOf(name === undefined ? runs : [run(`${name}: `), ...runs]),
  }
}

/** Does not cut within an escaped character. */
function wordsOf(runs: readonly Run[]): string {
  return headOf(escapeText(headOf(textOf(runs), longestText)), longestText).replace(/&[a-z]*$/, '')
}

function jsonLength(text: string): number {
  return JSON.stringify(text).length - '""'.length
}

/** JSON size of the structure around a piece of text in a part of its own. */
function frameLength(marks: Marks): number {
  return JSON.stringify(toRichText([run('x', marks)])).length
}

/** Escapes text for Slack's markup (https://docs.slack.dev/messaging/formatting-message-text#escaping). */
export function escapeText(text: string): string {
  return text
    .replaceAll(everybody, `@${wordJoiner}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
