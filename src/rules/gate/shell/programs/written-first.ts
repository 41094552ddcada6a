import { isWithin } from '../../../../shared/paths/path-forms.ts'
import { incomingFilesOf } from '../../orders/arriving-files.ts'
import { isReader } from '../../orders/is-reader.ts'
import type { ShellAnalysis } from '../analysis.ts'
import { namedParts } from '../named-paths.ts'
import { baseName } from './program-name.ts'
import { wrappers } from './programs.ts'

/** A command, and the files that it starts. */
interface Starter {
  readonly words: readonly string[]
  readonly started: readonly string[]
}

/** Limit for all commands together. */
const maxWords = 600
const maxNamed = 8
const tooLong =
  'The command is too long to tell whether it writes the files that it runs: what it runs then may not be bound'
/** Commands that change no content; inner commands of wrappers are listed separately. */
const passive =
  /^(?:chmod|chown|chgrp|ls|test|\[|export|kill|docker|kubectl|npm|npx|pnpm|yarn|make|ssh|open)$/
const copies = /^(?:cp|mv|ln|install|rsync|scp)$/

/**
 * APPR-24: files that a command may write before it runs them, as `curl -o x.sh … && sh x.sh` does: the digest on the card is of
 * the old content. One sentence each; `pathsOf` gives the paths that words may name.
 */
export function writtenBeforeRun(
  commands: readonly Starter[],
  redirections: ShellAnalysis['redirections'],
  programs: readonly string[],
  pathsOf: (words: ReadonlySet<string>) => readonly string[],
): readonly string[] {
  if (programs.length === 0) return []
  const targets = redirections.flatMap(({ use, path }) => (use === 'write' ? (path ?? []) : []))
  const redirected = pathsOf(new Set(targets.slice(0, maxWords)))
  const changed = new Set(programs.filter((program) => isBelow(program, redirected)))
  // A file that reaches a shell through a pipe is named by the command that reads it.
  const named = pathsOf(new Set(commands.flatMap(({ started }) => started)))
  if (named.length === 0 || commands.length < 2)
    return [...changed].slice(0, maxNamed).map(toSentence)
  if (commands.reduce((count, { words }) => count + words.length, 0) > maxWords) return [tooLong]
  for (const { words, started } of commands) {
    const written = pathsOf(new Set(mayWrite(words)))
    const own = written.length === 0 ? [] : pathsOf(new Set(started))
    for (const program of named)
      if (programs.includes(program) && isBelow(program, written) && !own.includes(program))
        changed.add(program)
  }
  return [...changed].slice(0, maxNamed).map(toSentence)
}

function toSentence(program: string): string {
  return `The command may itself write ${program} before it runs it: what it runs then is not bound`
}

function isBelow(program: string, places: readonly string[]): boolean {
  return places.some((place) => isWithin(program, place))
}

function mayWrite(words: readonly string[]): readonly string[] {
  const name = baseName(words[0] ?? '')
  if (isReader(words) || wrappers.has(name) || passive.test(name)) return []
  const named = copies.test(name) ? copiesOf(words) : [...namedParts([{ words }])]
  return [...named, ...incomingFilesOf(words).names]
}

/** The targets of `cp a b c`: `c`, or `c/a` and `c/b`. */
function copiesOf(words: readonly string[]): readonly string[] {
  const to = words.at(-1) ?? ''
  return [to, ...words.slice(1).map((word) => `${to}/${word.split(/[/:]/).at(-1)}`)]
}
