import type { CardStatus } from '../../../../domain/approval.ts'
import { grantWords } from '../../../../domain/grant-life.ts'
import { assertNever } from '../../../../util/guards.ts'
import { utcDayAndTime, utcTime } from '../../../../util/text/clock-time.ts'
import {
  cancelReason,
  elapsedWords,
  lifeOf,
  nameWords,
  shortPattern,
  tookWords,
  visibleLine,
} from '../card-words.ts'
import { cutText } from './cut-text.ts'
import { bold, code, type Run, run } from './run.ts'

export interface StatusView {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Running time, if known, in milliseconds. */
  readonly elapsedMs?: number
}

/** Prepares foreign text for a line, and cuts it if there is no room. */
export type Put = (text: string) => string

/** Maximum length of foreign text in a status, in UTF-16 units; covers the longest reason unless it has hidden characters. */
const maxForeignText = 500

/** The status line of a card (APPR-13). */
export function statusRuns(
  status: CardStatus,
  view: StatusView,
  put: Put,
  patterns: readonly string[],
): Run[] {
  const granted = grantRuns(status, patterns)
  const at = (time: string): string => timeWords(time, view.now)
  const shortened = (text: string): string => cutText(put(text), maxForeignText)
  switch (status.kind) {
    case 'waiting':
      return [run('Waiting for an answer.', bold)]
    case 'approved': {
      const approved = status.always ? 'Approved, with Always, by' : 'Approved by'
      return [...byPerson(`✅ ${approved}`, status, view), ...granted]
    }
    case 'granted':
      return status.life === undefined
        ? [run('✅ Allowed by a rule made with “Always”')]
        : [run(`✅ Allowed by a grant that was given ${grantWords[status.life]}`)]
    case 'denying':
      return [
        ...byPerson('🚫 Denied by', status, view),
        ...byPerson(`. Until ${at(status.until)}`, { by: status.by }, view),
        run(' can reply to this message with the reason, or tap Just deny.'),
      ]
    case 'denied': {
      const denied = byPerson('🚫 Denied by', status, view)
      if (status.reason === undefined) return denied
      return [...denied, run(': '), run(shortened(status.reason), { italic: true })]
    }
    case 'expired':
      return [run(`⌛ Expired, ${at(status.at)}: nobody answered in time`)]
    case 'cancelled': {
      const { words, name } = cancelReason(status)
      return [run(`⚪ Cancelled: ${shortened(words)}`), run(name, bold)]
    }
    case 'running': {
      const elapsed = view.elapsedMs === undefined ? '' : ` (${elapsedWords(view.elapsedMs)})`
      return [...byPerson('⏳ Approved by', status, view), ...granted, run(` → running${elapsed}`)]
    }
    case 'finished': {
      const { outcome, isSuccess } = status
      const mark = isSuccess ? '✅' : '❌'
      const end = `${shortened(outcome)} (${tookWords(status.durationMs)})`
      return [...byPerson(`${mark} Approved by`, status, view), ...granted, run(` → ${end}`)]
    }
    default:
      return assertNever(status)
  }
}

/** The grant that was given with the decision, and its duration (APPR-15). */
function grantRuns(status: CardStatus, patterns: readonly string[]): Run[] {
  const life = lifeOf(status)
  if (life === undefined) return []
  const short = shortPattern(patterns)
  const what = short === undefined ? run('the above') : run(short, code)
  return [run('; '), what, run(` ${grantWords[life]}`)]
}

/** A text, a name, and a time. */
export function byPerson(
  words: string,
  { by, at }: { readonly by: string; readonly at?: string },
  { now }: StatusView,
): Run[] {
  const when = at === undefined ? '' : `, ${timeWords(at, now)}`
  return [run(`${words} `), run(nameWords(by), bold), run(when)]
}

/** Time of day, with the date unless it is today's; an invalid time is shown as text. */
function timeWords(at: string, now: number, form = utcTime): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return cutText(visibleLine(at), 40)
  return form(time, new Date(now))
}

/** Expiry of a card, always with the date, as it may be read later. */
export function untilWords(at: string, now: number): string {
  return timeWords(at, now, utcDayAndTime)
}
