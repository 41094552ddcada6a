import type { Effect } from '../../../domain/effect.ts'
import type { CdSequence } from './trails.ts'

/** A node's position in the order of execution. */
export interface Part {
  /** Parts with lower numbers have ended when this one starts. */
  readonly index: number
  /** It may run more than once. */
  readonly isLooped: boolean
}

/** Something that runs in a certain directory. */
export interface Positioned {
  /** Undefined if the order is unknown. */
  readonly part?: Part | undefined
  /** The sequences of `cd` that may have run before; undefined if they cannot be followed. */
  readonly trails?: readonly CdSequence[] | undefined
}

/** A command that a shell text would run, at any depth (SHELL-01). */
export interface SubCommand extends Positioned {
  /** Program and arguments, quotes resolved. */
  readonly words: readonly string[]
  /** The source text, redirections included. */
  readonly source: string
  /**
   * `plain`: stands in the text. `wrapped`: run by another command that is evaluated itself, so only its denials count.
   * `perhaps`: follows an unknown program that may run it; a deny makes it ask.
   */
  readonly standing: CommandRole
  /** The reasons why a rule with wildcards cannot allow it: a wrapper, an interpreter, an option that runs or writes. */
  readonly hazards: readonly string[]
  /** The prefix with which a rule can allow it nevertheless. */
  readonly form?: string
  /** The inner commands, if they are its only hazard (`docker exec`): also allowed if rules allow each of these. */
  readonly runs?: readonly (readonly string[])[]
  /** `wrapper`: runs them as they stand; `names`: runs readers on file names that the text does not show. */
  readonly through?: 'wrapper' | 'names'
  /** The wildcard words that name files it reads or changes. */
  readonly globs?: readonly string[]
  /** The wildcards among `globs` that only the box can check: by the text alone they ask. */
  readonly boxed?: readonly string[]
  /** The listings of which a quoted substitution gives it one line, a name that only the box can check. */
  readonly lines?: readonly string[]
  /** The words that stand for objects or such names, which rules for commands may name. */
  readonly objects?: readonly string[]
  /** Changes those files without showing their content. */
  readonly changes?: true
  /** It may write those files, or others by their names. */
  readonly mayWrite?: true
  /** The directory that they are copied or moved to. */
  readonly into?: string
  /** For a guess from an unparsable text: all of its words are also in other guesses. */
  readonly overlaps?: boolean
}

export type CommandRole = 'plain' | 'wrapped' | 'perhaps'

/** A redirection to or from a file; `path` is undefined if it cannot be known. */
export interface Redirection extends Positioned {
  readonly use: 'read' | 'write'
  readonly path: string | undefined
}

/** The first part of a pipe whose output `xargs` splits into file names for a reading program. */
export interface Listing extends Positioned {
  /** A pipe of read-only commands that prints at least the lines that are passed on. */
  readonly text: string
  /** The reason to ask if the names are not checked first. */
  readonly hazard: string
  /** Names are NUL-terminated. */
  readonly isNul?: true
}

/** The information about a shell command that its text alone gives. */
export interface ShellAnalysis {
  readonly commands: readonly SubCommand[]
  readonly redirections: readonly Redirection[]
  /**
   * Listings whose names are passed to reading programs; each makes the command ask unless the names are checked before it runs.
   */
  readonly listings: readonly Listing[]
  /** The reasons why the text as a whole never runs silently (SHELL-03); no rule overrides them. */
  readonly hazards: readonly string[]
  /** CARD-01: what a card shows for a hazard, by its sentence; for others the sentence itself. */
  readonly effects?: ReadonlyMap<string, Effect>
  /** The reason for a refusal, if there is too much to analyse; nothing else is known then. */
  readonly refusal: string | undefined
}
