import type { Messages } from '../../../../domain/messages/messages.ts'
import { visibleLine } from '../card-words.ts'
import { cutText } from './cut-text.ts'

export interface StatusView {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Running time, if known, in milliseconds. */
  readonly elapsedMs?: number
}

/** Time of day, with the date unless it is today's; an invalid time is shown as text. */
export function timeText({ clock }: Messages, at: string, now: number): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? invalidTime(at) : clock.time(time, new Date(now))
}

/** Expiry of a card, always with the date, as it may be read later. */
export function untilText({ clock }: Messages, at: string, now: number): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? invalidTime(at) : clock.day(time, new Date(now))
}

function invalidTime(at: string): string {
  return cutText(visibleLine(at), 40)
}
