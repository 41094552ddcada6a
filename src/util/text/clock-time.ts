const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** `12:03 UTC`; on another day than `now` `22 Nov 12:03 UTC`, in another year `22 Nov 2027 12:03 UTC`. */
export function utcTime(time: Date, now: Date): string {
  const isToday = time.toISOString().slice(0, 10) === now.toISOString().slice(0, 10)
  return isToday ? `${clock(time.toISOString())} UTC` : utcDayAndTime(time, now)
}

/** Always with the day, for text that is read on another day. */
export function utcDayAndTime(time: Date, now: Date): string {
  const year = time.getUTCFullYear()
  const day = dayOf(time.getUTCDate(), time.getUTCMonth(), year, now.getUTCFullYear())
  return `${day} ${clock(time.toISOString())} UTC`
}

/** Like `utcTime`, in this machine's time zone, for a reader at this machine. */
export function localTime(time: Date, now: Date): string {
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`
  if (time.toDateString() === now.toDateString()) return clock
  return `${dayOf(time.getDate(), time.getMonth(), time.getFullYear(), now.getFullYear())} ${clock}`
}

function dayOf(date: number, month: number, year: number, thisYear: number): string {
  return `${date} ${months[month] ?? ''}${year === thisYear ? '' : ` ${year}`}`
}

function clock(iso: string): string {
  return /T(\d\d:\d\d)/.exec(iso)?.[1] ?? ''
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
