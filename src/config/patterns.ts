import { loneBracketProblem, pathPatternProblem } from '../shared/glob/path-glob.ts'
import { toLinearRegex } from '../util/text/linear-regex.ts'

/** What is wrong with a path glob (GATE-08), or nothing. */
export function pathGlobFault(glob: string): string | undefined {
  const problem = pathPatternProblem(glob) ?? loneBracketProblem(glob)
  return problem === undefined ? undefined : `the glob "${glob}" cannot be used: ${problem}`
}

/** What is wrong with a linear wildcard for commands, URLs and names (GATE-08), or nothing. */
export function wildcardFault(pattern: string): string | undefined {
  if (pattern === '') return 'a pattern cannot be empty'
  if (pattern.length > 4096) {
    return `a pattern has at most 4096 characters, this one has ${pattern.length}`
  }
  return undefined
}

/** What is wrong with a regular expression for the linear-time engine (POL-01), or nothing. */
export function regexFault(text: string): string | undefined {
  const result = toLinearRegex(text)
  return result.kind === 'regex' ? undefined : `the regular expression ${result.why}`
}
