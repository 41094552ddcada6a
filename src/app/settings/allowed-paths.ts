import { isAbsolute, join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { isPathInside } from '../../util/is-path-inside.ts'

/**
 * FILE-01, BASH-10: translates `allowed_paths` into paths inside a box. Host paths keep their names; the workspace has
 * its own name there, against which relative paths are resolved. A path that is, contains or lies in the workspace is
 * listed under both names.
 */
export function allowedPathsOf(
  { worker }: Pick<Config, 'worker'>,
  paths: readonly string[],
): (boxWorkspace: string) => readonly string[] {
  const outside = paths.filter(isAbsolute)
  const parts = workspaceParts(paths, worker.workspace)
  return (boxWorkspace) => {
    const inside = paths.length === 0 ? [] : parts.map((part) => join(boxWorkspace, part))
    return [...new Set([...outside, ...inside])]
  }
}

/**
 * Returns the parts of the workspace that `allowed_paths` covers, relative to it; `.` means all of it, also for an empty
 * list.
 */
export function workspaceParts(
  paths: readonly string[],
  workspace: string | undefined,
): readonly string[] {
  if (paths.length === 0) return ['.']
  const parts = paths.flatMap((path) => partOf(path, workspace))
  return parts.includes('.') ? ['.'] : [...new Set(parts)]
}

function partOf(path: string, workspace: string | undefined): readonly string[] {
  if (!isAbsolute(path)) return [join(path, '.')]
  if (workspace === undefined) return []
  if (isPathInside(path, workspace)) return ['.']
  return isPathInside(workspace, path) ? [relative(workspace, path)] : []
}
