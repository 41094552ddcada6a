import type { CardStatus } from '../../../../domain/approval.ts'
import { assertNever } from '../../../../util/assert-never.ts'
import { elapsedWords, tookWords, visibleLine } from '../../render/card-words.ts'
import { cutText } from './cut-text.ts'
import { type Run, run } from './run.ts'

export interface StatusView {
  /** Milliseconds since 1970. */
  readonly now: number
  /** How long it has run, where that is known. */
  readonly elapsedMs?: number
}

/** Puts others' words into a line, cut where there is no room for all of them. */
export type Put = (text: string) => string

/** APPR-13: the card's one line of truth. */
export function statusRuns(status: CardStatus, view: StatusView, put: Put): Run[] {
  const at = (time: string): string => utcTime(time, view.now)
  switch (status.kind) {
    case 'waiting':
      return [run('Waiting for an answer.', { bold: true })]
    case 'approved':
      return [run(`✅ ${approved(status, view, put, status.always ? ' for always' : '')}`)]
    case 'granted':
      return [run('✅ Allowed by a rule made with “Always”')]
    case 'denying':
      return [
        run(`🚫 Denied by ${put(status.by)}, ${at(status.at)}. Reply to this message until `),
        run(`${at(status.until)} to tell the model why, or tap Just deny.`),
      ]
    case 'denied': {
      const denied = run(`🚫 Denied by ${put(status.by)}, ${at(status.at)}`)
      if (status.reason === undefined) return [denied]
      return [denied, run(': '), run(put(status.reason), { italic: true })]
    }
    case 'expired':
      return [run(`⌛ Expired, ${at(status.at)}: nobody answered in time`)]
    case 'cancelled':
      return [run(`⚪ Cancelled: ${put(status.why)}`)]
    case 'running': {
      const elapsed = view.elapsedMs === undefined ? '' : ` (${elapsedWords(view.elapsedMs)})`
      return [run(`⏳ ${approved(status, view, put)} → running${elapsed}`)]
    }
    case 'finished': {
      const { outcome } = status
      const mark = /^(?:exit 0|done|ok)$/.test(outcome) ? '✅' : '❌'
      const end = `${put(outcome)} (${tookWords(status.durationMs)})`
      return [run(`${mark} ${approved(status, view, put)} → ${end}`)]
    }
    default:
      return assertNever(status)
  }
}

/** The time of day in UTC, with the date where it is not today; other words as they are. */
export function utcTime(at: string, now: number): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return cutText(visibleLine(at), 40)
  const [date = '', clock = ''] = time.toISOString().split('T')
  const isToday = new Date(now).toISOString().startsWith(date)
  return `${isToday ? '' : `${date} `}${clock.slice(0, 5)} UTC`
}

function approved(
  { by, at }: { readonly by: string; readonly at?: string },
  { now }: StatusView,
  put: Put,
  forHowLong = '',
): string {
  return `Approved${forHowLong} by ${put(by)}${at === undefined ? '' : `, ${utcTime(at, now)}`}`
}
