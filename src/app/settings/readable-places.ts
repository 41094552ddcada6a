import { existsSync, globSync } from 'node:fs'
import { literalPath, toPathGlob } from '../../shared/glob/path-glob.ts'

/** Of these a box has its own, which nothing of the host may hide. */
const boxesOwn = ['', '/bin', '/dev', '/etc', '/lib', '/lib64', '/opt', '/proc', '/sbin', '/sys']
const hidden: ReadonlySet<string> = new Set([...boxesOwn, '/tmp', '/usr', '/workspace'])
const mostPlaces = 100

/**
 * FILE-02: the places of the host that `allow_read` makes readable, for boxes to show: an absolute path, a directory behind which
 * stands `/**` or `/*`, and what such a glob with further wildcards finds when it is looked up, 100 places at most.
 */
export function readablePlaces(globs: readonly string[]): readonly string[] {
  return [...new Set(globs.filter((glob) => glob.startsWith('/')).flatMap(placesOf))]
}

function placesOf(glob: string): readonly string[] {
  const top = glob.replace(/(?:\/\*+)+$/, '')
  const place = literalPath(top)
  if (place !== undefined) {
    return existsSync(place) && (top === glob || !hidden.has(place)) ? [place] : []
  }
  // One that crosses directories could be anywhere.
  if (top.includes('**')) return []
  // Node reads more into a glob than rules do.
  const isMeant = toPathGlob(top) ?? (() => false)
  return globSync(top)
    .filter((found) => !hidden.has(found) && isMeant(found))
    .slice(0, mostPlaces)
}
