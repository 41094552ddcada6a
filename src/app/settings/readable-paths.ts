import { existsSync, globSync } from 'node:fs'
import { literalPath, toPathGlob } from '../../shared/glob/path-glob.ts'

/** Directories that a box has itself, which no mount of the host may hide. */
const boxesOwn = ['', '/bin', '/dev', '/etc', '/lib', '/lib64', '/opt', '/proc', '/sbin', '/sys']
const hidden: ReadonlySet<string> = new Set([...boxesOwn, '/tmp', '/usr', '/workspace'])
const maxPaths = 100

/**
 * FILE-02: returns the host paths that `allow_read` makes readable, for boxes to mount: absolute paths, directories
 * followed by `/**` or `/*`, and the present matches of such globs with further wildcards, 100 per glob at most.
 */
export function readablePaths(globs: readonly string[]): readonly string[] {
  return [...new Set(globs.filter((glob) => glob.startsWith('/')).flatMap(pathsOf))]
}

function pathsOf(glob: string): readonly string[] {
  const top = glob.replace(/(?:\/\*+)+$/, '')
  const place = literalPath(top)
  if (place !== undefined) {
    return existsSync(place) && (top === glob || !hidden.has(place)) ? [place] : []
  }
  // A glob that crosses directories could match anywhere.
  if (top.includes('**')) return []
  // Node's globs match more than those of the rules.
  const isMeant = toPathGlob(top) ?? (() => false)
  return globSync(top)
    .filter((found) => !hidden.has(found) && isMeant(found))
    .slice(0, maxPaths)
}
