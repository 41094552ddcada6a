import { InvalidArgumentError, Option } from 'commander'
import { parseSince } from './parse-since.ts'

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
