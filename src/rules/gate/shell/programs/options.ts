/** Options of everyday programs that run something or write a file (SHELL-04, SHELL-10). */
export interface Options {
  /** Long names; every abbreviation of them counts too. */
  readonly long?: string
  /** Letters of short options, alone or in a cluster. */
  readonly short?: string
  /** Letters of short options that take the rest of their word as a value. */
  readonly valued?: string
  /** Whole words, also when `=` follows. */
  readonly words?: string
  /** Any word that fits. */
  readonly any?: RegExp
  /** The words that are no options, joined by a blank: subcommands. */
  readonly sub?: RegExp
}
