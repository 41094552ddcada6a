import { compileAutomaton } from './automaton.ts'
import { type GlobOptions, parseGlob } from './parse-glob.ts'

/**
 * A matcher for one path pattern, after picomatch with `dot` and `bash` (GATE-08): any number of stars is any text, `/`
 * included, `?` and `[…]` are one character but `/`; further `{a,b}`, `{1..9}`, `@(a|b)`, `+(a)`, `*(a)`, `?(a)` and `\`
 * escapes. Two stars and a slash may be nothing; a slash and two stars at the end also cover the directory itself. It
 * differs where picomatch departs from bash: `[!a]` negates. With `starCrosses: false` one star stays within a name.
 * Matching takes time linear in the path. Throws RangeError on `!(…)` and on a pattern that grows too large.
 */
export function compilePathGlob(pattern: string, options: GlobOptions): (path: string) => boolean {
  const matches = compileAutomaton(parseGlob(fold(pattern, options), options))
  return (path) => matches(fold(path, options))
}

function fold(text: string, options: GlobOptions): string {
  return options.ignoreCase ? text.toLowerCase() : text
}
