import { isAbsolute, join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { isPathInside } from '../../util/is-path-inside.ts'

/**
 * FILE-01, BASH-10: a list of `allowed_paths` as a box sees them. It has them under the host's names, and the workspace under a
 * name of its own, by which relative paths are meant: where one of them is, holds or lies in that, so is it there too.
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

/** What of the workspace a list of `allowed_paths` names, relative to it; `.` for all of it, as where the list is empty. */
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
