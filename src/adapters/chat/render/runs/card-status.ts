import { utcDayAndTime, utcTime } from '../../../../util/text/clock-time.ts'
import { visibleLine } from '../card-words.ts'
import { cutText } from './cut-text.ts'

export interface StatusView {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Running time, if known, in milliseconds. */
  readonly elapsedMs?: number
}

/** Time of day, with the date unless it is today's; an invalid time is shown as text. */
export function timeWords(at: string, now: number, form = utcTime): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return cutText(visibleLine(at), 40)
  return form(time, new Date(now))
}

/** Expiry of a card, always with the date, as it may be read later. */
export function untilWords(at: string, now: number): string {
  return timeWords(at, now, utcDayAndTime)
}
