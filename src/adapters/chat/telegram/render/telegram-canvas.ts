import type { Canvas, Origin } from '../../render/canvas.ts'
import { type Defused, defuse } from './defuse.ts'
import { liveLimit, messageLimit, sizeOf } from './size.ts'
import { toHtml } from './to-html.ts'

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
