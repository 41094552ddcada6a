import { compileGlob } from '../../shared/glob/compile-glob.ts'
import { parseGlob } from '../../shared/glob/parse-glob.ts'
import { fail } from '../refusal.ts'

/**
 * Compiles a model's glob over paths relative to `root`, an absolute path with which the glob may begin. The language is
 * that of rules, except that `*` stays within a segment and two stars cross directories; a pattern without `/` matches
 * the name. Ends the call at a pattern that is invalid or can match nothing (FILE-10).
 */
export function createNameFilter(given: string, root: string): (relative: string) => boolean {
  if (given === '' || given.length > 1024 || given.includes('\0')) {
    fail('invalid_parameters', 'The glob must have 1 to 1024 characters and no NUL')
  }
  const pattern = given.startsWith(`${root}/`) ? given.slice(root.length + 1) : given
  const why = whyNever(pattern)
  if (why !== undefined) {
    fail('invalid_parameters', `The glob ${JSON.stringify(given)} can match nothing: ${why}`)
  }
  const parsed = parseGlob(pattern.replace(/^\.\//, ''), { starCrosses: false })
  if (parsed.kind === 'refused') {
    return fail('invalid_parameters', `The glob cannot be used: ${parsed.why}`)
  }
  const matches = compileGlob(parsed.nodes, 'exact')
  if (pattern.includes('/')) return matches
  return (relative) => matches(relative.slice(relative.lastIndexOf('/') + 1))
}

const relativeOnly =
  'paths are compared as they stand below the searched directory; name another directory by path'

function whyNever(pattern: string): string | undefined {
  const names = pattern.replace(/^\.\//, '').split('/')
  if (/^(?:\/|~\/|[A-Za-z]:[\\/])/.test(pattern) || names.includes('..')) return relativeOnly
  if (names.includes('.') || names.includes('')) {
    return 'no path has an empty name, a `.`, or a `/` at its end; a directory is named without it'
  }
  if (/(?<!\\)\{\}/.test(pattern)) return 'its braces {} are empty'
  if (/\\[A-Za-z0-9]/.test(pattern))
    return 'a backslash escapes what follows; names are parted by `/`'
  return undefined
}
