import type { CardStatus } from '../../../../domain/approval.ts'
import { grantWords } from '../../../../domain/grant-life.ts'
import { assertNever } from '../../../../util/assert-never.ts'
import { utcDayAndTime, utcTime } from '../../../../util/text/clock-time.ts'
import {
  elapsedWords,
  lifeOf,
  nameWords,
  shortPattern,
  tookWords,
  visibleLine,
  whyCancelled,
} from '../card-words.ts'
import { cutText } from './cut-text.ts'
import { bold, code, type Run, run } from './run.ts'

export interface StatusView {
  /** Milliseconds since 1970. */
  readonly now: number
  /** How long it has run, where that is known. */
  readonly elapsedMs?: number
}

/** Puts others' words into a line, cut where there is no room for all of them. */
export type Put = (text: string) => string

/** Of others' words behind a status; a reason may be as long before anything hidden in it is named. */
const longest = 500

/** APPR-13: the card's one line of truth. */
export function statusRuns(
  status: CardStatus,
  view: StatusView,
  put: Put,
  patterns: readonly string[],
): Run[] {
  const granted = grantRuns(status, patterns)
  const at = (time: string): string => timeWords(time, view.now)
  const some = (text: string): string => cutText(put(text), longest)
  switch (status.kind) {
    case 'waiting':
      return [run('Waiting for an answer.', bold)]
    case 'approved': {
      const approved = status.always ? 'Approved, with Always, by' : 'Approved by'
      return [...byWhom(`✅ ${approved}`, status, view), ...granted]
    }
    case 'granted':
      return status.life === undefined
        ? [run('✅ Allowed by a rule made with “Always”')]
        : [run(`✅ Allowed by a grant that was given ${grantWords[status.life]}`)]
    case 'denying':
      return [
        ...byWhom('🚫 Denied by', status, view),
        ...byWhom(`. Until ${at(status.until)}`, { by: status.by }, view),
        run(' can reply to this message with the reason, or tap Just deny.'),
      ]
    case 'denied': {
      const denied = byWhom('🚫 Denied by', status, view)
      if (status.reason === undefined) return denied
      return [...denied, run(': '), run(some(status.reason), { italic: true })]
    }
    case 'expired':
      return [run(`⌛ Expired, ${at(status.at)}: nobody answered in time`)]
    case 'cancelled': {
      const { words, name } = whyCancelled(status.why)
      return [run(`⚪ Cancelled: ${some(words)}`), run(name, bold)]
    }
    case 'running': {
      const elapsed = view.elapsedMs === undefined ? '' : ` (${elapsedWords(view.elapsedMs)})`
      return [...byWhom('⏳ Approved by', status, view), ...granted, run(` → running${elapsed}`)]
    }
    case 'finished': {
      const { outcome } = status
      const mark = /^(?:exit 0|done|ok)$/.test(outcome) ? '✅' : '❌'
      const end = `${some(outcome)} (${tookWords(status.durationMs)})`
      return [...byWhom(`${mark} Approved by`, status, view), ...granted, run(` → ${end}`)]
    }
    default:
      return assertNever(status)
  }
}

/** APPR-15: for how long the like of it is allowed, and what. */
function grantRuns(status: CardStatus, patterns: readonly string[]): Run[] {
  const life = lifeOf(status)
  if (life === undefined) return []
  const short = shortPattern(patterns)
  const what = short === undefined ? run('the above') : run(short, code)
  return [run('; '), what, run(` ${grantWords[life]}`)]
}

/** Words of ours, a name, and when. */
export function byWhom(
  words: string,
  { by, at }: { readonly by: string; readonly at?: string },
  { now }: StatusView,
): Run[] {
  const when = at === undefined ? '' : `, ${timeWords(at, now)}`
  return [run(`${words} `), run(nameWords(by), bold), run(when)]
}

/** The time of day, with the day where it is not today's; other words as they are. */
function timeWords(at: string, now: number, form = utcTime): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return cutText(visibleLine(at), 40)
  return form(time, new Date(now))
}

/** The end of a card's life: it will be read on other days too. */
export function untilWords(at: string, now: number): string {
  return timeWords(at, now, utcDayAndTime)
}
