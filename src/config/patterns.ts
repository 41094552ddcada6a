import picomatch from 'picomatch'
import { toLinearRegex } from '../util/linear-regex.ts'

/** What is wrong with a path glob (GATE-08), or nothing. */
export function pathGlobFault(glob: string): string | undefined {
  if (glob === '') return 'a glob cannot be empty'
  if (glob.includes('\0')) return 'a glob cannot hold a NUL character'
  if (glob.length > 256) return `a glob has at most 256 characters, this one has ${glob.length}`
  if (glob.startsWith('!')) return `the glob "${glob}" begins with "!", which is not supported`
  if (glob.split('/').some((segment) => segment.replaceAll(/[^*]/g, '').length > 3)) {
    return `the glob "${glob}" has more than three stars in one segment`
  }
  return compileFault(glob)
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

function compileFault(glob: string): string | undefined {
  try {
    picomatch.makeRe(glob, { dot: true, bash: true, strictBrackets: true })
    return undefined
  } catch (error) {
    return `the glob "${glob}" is not valid: ${messageOf(error)}`
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
