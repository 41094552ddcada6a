import { InvalidArgumentError, Option } from 'commander'
import { parseSince } from './parse-since.ts'

/** `--since`, which without being given means so long ago. */
export function sinceOption(usual: string): Option {
  return new Option('--since <when>', 'calls since a time (2026-11-21T10:00Z) or an age (2h, 3d)')
    .argParser(toSince)
    .default(toSince(usual), usual)
}

/** The time that a command line means. */
export function toSince(text: string): Date {
  const since = parseSince(text, new Date())
  if (since !== undefined) return since
  throw new InvalidArgumentError('Expected a time such as 2026-11-21T10:00Z, or an age such as 2h.')
}
