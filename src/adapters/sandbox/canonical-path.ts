import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Resolves the links of what is there of an absolute path and re-attaches the rest. */
export function canonicalPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(canonicalPath(parent), basename(path))
  }
}
