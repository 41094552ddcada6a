import { statSync } from 'node:fs'
import { dirname, extname } from 'node:path'

/** The path to cover in order to hide a masked path: itself, or its uppermost missing parent directory. */
export interface HiddenPath {
  readonly path: string
  readonly missing: boolean
  readonly directory: boolean
}

/** Hides missing paths too, as a command could create a configuration there. A path with an extension counts as a file. */
export function hiddenPath(masked: string): HiddenPath {
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
