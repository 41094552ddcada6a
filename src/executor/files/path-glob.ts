import { compileAutomaton } from './automaton.ts'
import { type GlobOptions, parseGlob } from './parse-glob.ts'

/**
 * A matcher for one path pattern, after picomatch with `dot` and `bash` (GATE-08): `*` and `**` any text, `/` included,
 * `?` and `[…]` one character but `/`, `{a,b}`, `{1..9}`, `@(a|b)`, `+(a)`, `*(a)`, `?(a)`, `\` escapes; two stars before a slash may be
 * nothing and after one cover the directory itself. With `starCrosses: false` a `*` stays within one name. Matching takes
 * time linear in the path. Throws RangeError on what it does not know (`!(…)`) or a pattern that grows too large.
 */
export function compilePathGlob(pattern: string, options: GlobOptions): (path: string) => boolean {
  const matches = compileAutomaton(parseGlob(fold(pattern, options), options))
  return (path) => matches(fold(path, options))
}

function fold(text: string, options: GlobOptions): string {
  return options.ignoreCase ? text.toLowerCase() : text
}
