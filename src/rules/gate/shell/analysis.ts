import type { Trail } from './trails.ts'

/** Where a node stands in the order in which a script runs. */
export interface Part {
  /** Parts with lower numbers have ended by the time that this one begins. */
  readonly index: number
  /** Whether it may run more than once. */
  readonly isLooped: boolean
}

/** What runs in a directory of its own. */
export interface Placed {
  /** Undefined where the order is not known. */
  readonly part?: Part | undefined
  /** The rows of `cd` that may have gone before it; undefined where they cannot be followed. */
  readonly trails?: readonly Trail[] | undefined
}

/** One command that a shell command would run, wherever it stands in it (SHELL-01). */
export interface SubCommand extends Placed {
  /** Program and arguments, quotes resolved. */
  readonly words: readonly string[]
  /** As it stands in the text, redirections included. */
  readonly source: string
  /**
   * `plain`: it stands in the text. `wrapped`: another command runs it, which speaks for it, so only its denies count.
   * `perhaps`: what follows a program that nobody knows, which may run it: a deny makes it ask.
   */
  readonly standing: CommandRole
  /** Why a rule with wildcards cannot allow it: a wrapper, an interpreter, an option that runs or writes. */
  readonly hazards: readonly string[]
  /** What a rule must begin with to allow it all the same. */
  readonly form?: string
  /** Where its only hazard is what it runs (`docker exec`): allowed too where rules allow each of these. */
  readonly runs?: readonly (readonly string[])[]
  /** How it runs them: as they stand, or as readers over names of files that the text does not tell. */
  readonly through?: 'wrapper' | 'names'
  /** Which of its words stand for files that it reads or changes, by wildcards. */
  readonly globs?: readonly string[]
  /** Those of `globs` whose names only the box can tell: by the text alone they ask. */
  readonly boxed?: readonly string[]
  /** Whether it changes those files, and shows nothing of them. */
  readonly changes?: true
  /** Whether it may write those files, or others by their names. */
  readonly mayWrite?: true
  /** The directory that they are copied or moved to. */
  readonly into?: string
  /** Of a guess from a text that cannot be parsed: whether all its words stand in other guesses too. */
  readonly overlaps?: boolean
}

export type CommandRole = 'plain' | 'wrapped' | 'perhaps'

/** A redirection to or from a file; `path` is undefined when it cannot be known. */
export interface Redirection extends Placed {
  readonly use: 'read' | 'write'
  readonly path: string | undefined
}

/** The first part of a pipe, whose output `xargs` splits into names of files for a program that reads them. */
export interface Listing extends Placed {
  /** A pipe of commands that only read, which prints at least the lines that are handed on. */
  readonly text: string
  /** Why the command asks where the names are not looked at first. */
  readonly hazard: string
  /** Whether a NUL ends each name, and no line end or blank does. */
  readonly isNul?: true
}

/** What can be known of a shell command from its text alone. */
export interface ShellAnalysis {
  readonly commands: readonly SubCommand[]
  readonly redirections: readonly Redirection[]
  /** Names that come to programs which read them; each makes it ask, unless they are looked at before it runs. */
  readonly listings: readonly Listing[]
  /** Why the text as a whole is never allowed silently (SHELL-03); no rule takes these back. */
  readonly hazards: readonly string[]
  /** Why it is refused, where it is more than can be looked at; nothing else is known of it then. */
  readonly refusal: string | undefined
}
