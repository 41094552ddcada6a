import { statSync } from 'node:fs'
import { dirname, extname } from 'node:path'

/** What keeps a masked path hidden: the path itself, or the uppermost folder above it that is not there. */
export interface HiddenPlace {
  readonly path: string
  readonly missing: boolean
  readonly directory: boolean
}

/** A path that is not there is hidden too, or a command could put a configuration there; a suffix tells a file. */
export function hiddenPlace(masked: string): HiddenPlace {
  const path = firstMissing(masked)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats) return { path, missing: false, directory: stats.isDirectory() }
  return { path, missing: true, directory: path !== masked || extname(path) === '' }
}

function firstMissing(path: string): string {
  const parent = dirname(path)
  return parent === path || statSync(parent, { throwIfNoEntry: false })
    ? path
    : firstMissing(parent)
}
