import { compilePathGlob } from '../files/path-glob.ts'
import { fail } from '../refusal.ts'

/**
 * A model's glob over relative paths: `*` stays within a name, two stars cross directories, and a pattern without `/`
 * is tried on the name alone. Ends the call on a pattern that cannot be used.
 */
export function createNameFilter(pattern: string): (relative: string) => boolean {
  if (pattern === '' || pattern.length > 1024 || pattern.includes('\0')) {
    fail('invalid_parameters', 'The glob must have 1 to 1024 characters and no NUL')
  }
  try {
    const trimmed = pattern.replace(/^\/+/, '')
    const matches = compilePathGlob(trimmed, { starCrosses: false, ignoreCase: false })
    if (pattern.includes('/')) return matches
    return (relative) => matches(relative.slice(relative.lastIndexOf('/') + 1))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return fail('invalid_parameters', `The glob cannot be used: ${error.message}`)
  }
}
