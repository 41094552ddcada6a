import { findPlatformTeam } from '../../db/people/platform-teams.ts'
import type { Db } from '../../db/schema.ts'

/**
 * CHAT-01: whether a caller is of another team than the platform serves now: of the workspace that it served before a move, whose
 * ids may be anybody's. Nobody is while no team was met.
 */
export async function isOfOtherTeam(db: Db, id: string): Promise<boolean> {
  const own = teamOf(id)
  return own !== undefined && isOther(own, await findPlatformTeam(db, 'slack'))
}

/** Those of the ids that are of no other team. */
export async function withoutOtherTeams<Whose>(
  db: Db,
  all: readonly Whose[],
  idOf: (one: Whose) => string,
): Promise<readonly Whose[]> {
  const served = await findPlatformTeam(db, 'slack')
  return all.filter((one) => !isOther(teamOf(idOf(one)) ?? served, served))
}

function isOther(own: string | undefined, served: string | undefined): boolean {
  return served !== undefined && own !== served
}

/** Only Slack has teams: `slack:<team>:<member>`. */
function teamOf(id: string): string | undefined {
  const [platform, team, member] = id.split(':')
  return platform === 'slack' && member !== undefined ? team : undefined
}
