import { canonicalPath, isInside } from './paths.ts'

/** Path of a workspace in the box, unless it keeps that of the host. */
export const boxWorkspace = '/workspace'

/** Nothing of the host is visible in these directories. */
const closed = ['/proc', '/dev', '/sys', '/etc', '/opt/countersign']

/**
 * Path in the box of the workspace `host`. The one chosen by the operator (`kept`) keeps its path, so that absolute paths and
 * links mean the same inside, and rules see one name per file. If that would hide the box's own paths (`own`), it is
 * `/workspace`.
 */
export function workspaceName(
  host: string,
  kept: string | undefined,
  own: readonly string[],
): string {
  const name = canonicalPath(host)
  if (kept === undefined || canonicalPath(kept) !== name) return boxWorkspace
  const hides = own.some((place) => isInside(place, name))
  return hides || closed.some((place) => isInside(name, place)) ? boxWorkspace : name
}
