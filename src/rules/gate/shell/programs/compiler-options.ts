/** Options of compilers and linkers that load code or read further options. */
export const compiler: Options = {
  words:
    '-wrapper -fplugin -specs -Xclang -load -B --plugin -plugin -iplugindir -fpass-plugin -fuse-ld --ld-path',
  // `@file` holds options that cannot be seen.
  any: /^(?:@|-B|-fplugin|-specs|-fuse-ld|-W[lap],(?:.*plugin|.*@)|-Xlinker|--config|--prefix|-ccc|--?gcc-toolchain)/,
}

/** Options of common programs that run something or write a file (SHELL-04, SHELL-10). */
export interface Options {
  /** Long names; their abbreviations count too. */
  readonly long?: string
  /** Letters of short options, alone or in a cluster. */
  readonly short?: string
  /** Letters of short options that take the rest of the word as a value. */
  readonly valued?: string
  /** Whole words, also if followed by `=`. */
  readonly words?: string
  /** Any matching word. */
  readonly any?: RegExp
  /** The words that are not options, joined by blanks: subcommands. */
  readonly sub?: RegExp
}
