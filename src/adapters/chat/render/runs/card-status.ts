import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Piece } from '../card-state.ts'
import { visibleLine } from '../card-words.ts'
import { cutText } from './cut-text.ts'

export interface StatusView {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Running time, if known, in milliseconds. */
  readonly elapsedMs?: number
}

/** Time of day, with the date unless it is today's; an invalid time is shown as text. */
export function timePiece({ clock }: Messages, at: string, now: number): Piece {
  return pieceOf(at, (time) => clock.time(time, new Date(now)))
}

/** Expiry of a card, always with the date, as it may be read later. */
export function untilPiece({ clock }: Messages, at: string, now: number): Piece {
  return pieceOf(at, (time) => clock.day(time, new Date(now)))
}

function pieceOf(at: string, words: (time: Date) => string): Piece {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return { text: cutText(visibleLine(at), 40) }
  return { text: words(time), instant: Math.floor(time.getTime() / 1_000) }
}
