import { join, relative } from 'node:path'
import type { Config } from '../config/config.ts'
import { contains } from './contains.ts'

/**
 * FILE-01: `[tools.file] allowed_paths` as a box sees them. It has them under the host's names, and the one configured workspace
 * under a name of its own, by which relative paths are meant: where one of them is, holds or lies in that, so is it there too.
 */
export function allowedPathsOf(config: Config): (boxWorkspace: string) => readonly string[] {
  const { allowedPaths } = config.tools.file
  const { workspace } = config.worker
  if (workspace === undefined) return () => allowedPaths
  return (boxWorkspace) => {
    const there = allowedPaths.flatMap((path) => {
      if (contains(path, workspace)) return [boxWorkspace]
      return contains(workspace, path) ? [join(boxWorkspace, relative(workspace, path))] : []
    })
    return [...new Set([...allowedPaths, ...there])]
  }
}
