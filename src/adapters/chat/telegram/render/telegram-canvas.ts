import type { Canvas, Origin } from '../../render/canvas.ts'
import type { Marks } from '../../render/runs/run.ts'
import type { Size } from '../../render/runs/size.ts'
import { type Defused, defuse } from './defuse.ts'
import { sharedTags, tagsOf, toHtml } from './to-html.ts'

/**
 * Telegram takes 4,096 units after parsing, and shows at most 100 entities, those that it finds by itself (addresses,
 * hashtags) included. It takes 32 KiB of HTML, which no message within these two can reach.
 */
const messageLimit: Size = { units: 4_000, entities: 90 }

/** Leaves room in a message for the line that says what is being done. */
const liveLimit: Size = { units: 3_500, entities: 80 }

const defused: Readonly<Record<Origin, Defused>> = {
  answer: 'commands and mentions',
  notice: 'all but our commands',
  card: 'commands and mentions',
}

/** So many stretches of code a line of a card, that Telegram shows all of them. */
const mostInCard = 2

/** Marked text as messages in HTML parse mode. */
export const telegramCanvas: Canvas<string> = {
  limit: messageLimit,
  liveLimit,
  sizeOf,
  defuse: (runs, origin) =>
    defuse(runs, defused[origin], origin === 'card' ? mostInCard : undefined),
  draw: toHtml,
}

/** Units after parsing, and those that links would take if the message had to be sent as plain text. */
function sizeOf(text: string, marks: Marks, neighbour: Marks | undefined): Size {
  const tags = tagsOf(marks)
  const open = neighbour === undefined ? 0 : sharedTags(tagsOf(neighbour), tags)
  const isNewLink = marks.href !== undefined && marks.href !== neighbour?.href
  return {
    units: text.length + (isNewLink ? marks.href.length + 3 : 0),
    entities: tags.length - open,
  }
}
