import { canonicalPath } from './canonical-path.ts'
import { isInside } from './is-inside.ts'

/** The name of a workspace in a box that has names of its own, unless it keeps the host's. */
export const boxWorkspace = '/workspace'

/** Nothing of the host is shown in these. */
const closed = ['/proc', '/dev', '/sys', '/etc', '/opt/countersign']

/**
 * What a box calls the workspace `host`. The one that an operator chose (`kept`) has the host's name there too: absolute
 * paths and links mean the same inside, and no rule is tried on one name of a file that has another. Where that name would hide what is
 * the box's own (`own`), it is `/workspace`.
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
