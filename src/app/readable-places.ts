import { existsSync, globSync } from 'node:fs'

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
  const place = glob.replace(/(?:\/\*+)+$/, '')
  if (!/[*?[\]{}()]/.test(place)) {
    return existsSync(place) && (place === glob || !hidden.has(place)) ? [place] : []
  }
  // One that crosses directories could be anywhere.
  if (place.includes('**')) return []
  return globSync(place)
    .filter((found) => !hidden.has(found))
    .slice(0, mostPlaces)
}
