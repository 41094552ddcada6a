import { InvalidArgumentError, Option } from 'commander'

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

const isoDate =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/

/** Creates the `--since` option with a default age. */
export function sinceOption(usual: string): Option {
  return new Option('--since <when>', 'calls since a time (2026-11-21T10:00Z) or an age (2h, 3d)')
    .argParser(toSince)
    .default(toSince(usual), usual)
}

/** Parses the value of `--since`. */
export function toSince(text: string): Date {
  const since = parseSince(text, new Date())
  if (since !== undefined) return since
  throw new InvalidArgumentError('Expected a time such as 2026-11-21T10:00Z, or an age such as 2h.')
}

/** Parses a time: an age before `now` (`90s`, `15m`, `2h`, `3d`, `1w`), or a date with an optional time, UTC by default. */
export function parseSince(text: string, now: Date): Date | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return new Date(now.getTime() - Number(count) * (unitMs[unit] ?? 0))
  const date = isoDate.exec(text)
  if (date === null) return undefined
  const [, day = '', time = '00:00', zone = 'Z'] = date
  const since = new Date(`${day}T${time}${zone}`)
  return isRealDay(day) && !Number.isNaN(since.getTime()) ? since : undefined
}

/** Rejects days such as 31 February, which JavaScript would move to March. */
function isRealDay(day: string): boolean {
  const date = new Date(`${day}T00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
