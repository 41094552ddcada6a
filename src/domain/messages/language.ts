/** Languages in which the product speaks to people. */
export const languages = ['en', 'de', 'es'] as const
export type Language = (typeof languages)[number]

/** Locale whose numbers, lists and dates a language uses. British dates name the day before the month. */
const locales = {
  en: { numbers: 'en-US', dates: 'en-GB' },
  de: { numbers: 'de-DE', dates: 'de-DE' },
  es: { numbers: 'es-ES', dates: 'es-ES' },
} as const

/** How a language writes numbers, amounts and lists. */
export interface Format {
  number(value: number, fractionDigits?: number): string
  /** The form for `count`, without the number. */
  plural(count: number, one: string, other: string): string
  /** The number and the form for it: `3 lines`. */
  counted(count: number, one: string, other: string): string
  /** `a, b and c`. */
  all(items: readonly string[]): string
  /** `a, b or c`. */
  any(items: readonly string[]): string
}

/** Makes what `Intl` offers when it is first used: making it takes tens of milliseconds. */
export function createFormat(language: Language): Format {
  const locale = locales[language].numbers
  const rules = once(() => new Intl.PluralRules(locale))
  const conjunction = once(() => new Intl.ListFormat(locale, { type: 'conjunction' }))
  const disjunction = once(() => new Intl.ListFormat(locale, { type: 'disjunction' }))
  const number = (value: number, fractionDigits = 0): string =>
    value.toLocaleString(locale, { maximumFractionDigits: fractionDigits })
  const plural = (count: number, one: string, other: string): string =>
    rules().select(count) === 'one' ? one : other
  return {
    number,
    plural,
    counted: (count, one, other) => `${number(count)} ${plural(count, one, other)}`,
    all: (items) => conjunction().format(items),
    any: (items) => disjunction().format(items),
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** How a language writes points in time, in a zone that it names. */
export interface Clock {
  /** `12:03 UTC`; on another day than `now` like `day`. */
  time(time: Date, now: Date): string
  /** `22 Nov 12:03 UTC`, in another year `22 Nov 2027 12:03 UTC`: for text that is read on another day. */
  day(time: Date, now: Date): string
  isSameDay(time: Date, now: Date): boolean
}

/** The time zone of this machine, by its name in the IANA database. */
export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Whether `Intl` knows a zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** A clock of this machine, for a reader at it: its times do not name their zone. */
export function createLocalClock(language: Language): Clock {
  return createClock(language, localZone(), {})
}

export function createClock(
  language: Language,
  timeZone = 'UTC',
  named: Intl.DateTimeFormatOptions = { timeZoneName: 'short' },
): Clock {
  const locale = locales[language].dates
  const format = (options: Intl.DateTimeFormatOptions) =>
    once(() => new Intl.DateTimeFormat(locale, { timeZone, ...options }))
  const dayOfYear = format({ day: 'numeric', month: 'short' })
  const dayAndYear = format({ day: 'numeric', month: 'short', year: 'numeric' })
  const clock = format({
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...named,
  })
  const isSameDay = (time: Date, now: Date): boolean =>
    dayAndYear().format(time) === dayAndYear().format(now)
  const isSameYear = (time: Date, now: Date): boolean =>
    yearOf(dayAndYear(), time) === yearOf(dayAndYear(), now)
  const day = (time: Date, now: Date): string => {
    const days = isSameYear(time, now) ? dayOfYear() : dayAndYear()
    return `${days.format(time)} ${clock().format(time)}`
  }
  return {
    time: (time, now) => (isSameDay(time, now) ? clock().format(time) : day(time, now)),
    day,
    isSameDay,
  }
}

function yearOf(format: Intl.DateTimeFormat, time: Date): string | undefined {
  return format.formatToParts(time).find(({ type }) => type === 'year')?.value
}
