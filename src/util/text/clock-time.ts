const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** `12:03 UTC`; of another day than now's `22 Nov 12:03 UTC`, of another year `22 Nov 2027 12:03 UTC`. */
export function utcTime(time: Date, now: Date): string {
  const isToday = time.toISOString().slice(0, 10) === now.toISOString().slice(0, 10)
  return isToday ? `${clock(time.toISOString())} UTC` : utcDayAndTime(time, now)
}

/** The same with the day always, for what will be read on another one. */
export function utcDayAndTime(time: Date, now: Date): string {
  const year = time.getUTCFullYear()
  const day = dayOf(time.getUTCDate(), time.getUTCMonth(), year, now.getUTCFullYear())
  return `${day} ${clock(time.toISOString())} UTC`
}

/** As `utcTime`, where the clock of this machine is the reader's. */
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
