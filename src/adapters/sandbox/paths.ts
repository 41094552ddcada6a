import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Removes paths that lie below another one. */
export function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)))
}

/** Whether `path` is `dir` or lies below it, by segments; both must be absolute and normalised. */
export function isInside(path: string, dir: string): boolean {
  return dir === '/' || path === dir || path.startsWith(`${dir}/`)
}

/** Resolves the links in the existing part of an absolute path, and appends the rest. */
export function canonicalPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(canonicalPath(parent), basename(path))
  }
}
