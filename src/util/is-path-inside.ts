import { relative } from 'node:path'

/** Whether `path` is `directory` or lies below it, by whole names; both absolute. */
export function isPathInside(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith('../') && !way.startsWith('/')
}
