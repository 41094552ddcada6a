import { findKnownCaller } from '../../db/people/callers.ts'
import { findPlatformTeam } from '../../db/people/platform-teams.ts'
import { findUsernames } from '../../db/people/username-pins.ts'
import type { Db } from '../../db/schema.ts'
import { type Caller, platformOf, type Role } from '../../domain/caller.ts'
import { platformFacts } from '../../domain/chat-platforms.ts'
import type { CoreContext } from '../context.ts'
import { highestRole, isAccount, type ListedPerson, listedPeople } from './role-lists.ts'

/** API clients have the role of their token, and none once it is revoked. */
const programs = 'api'

/**
 * Returns the current caller of an account that answered or could; undefined if unknown or removed. On platforms without
 * configured people in this process (the terminal, or a separate agent's chats) the stored caller counts.
 */
export async function findAnswerer(
  ctx: Pick<CoreContext, 'people'>,
  db: Db,
  id: string,
): Promise<Caller | undefined> {
  const known = await findKnownCaller(db, id)
  if (known === undefined || (await isOfOtherTeam(db, id))) return undefined
  const platform = platformOf(id)
  const { name } = known
  const isTold = ctx.people[platform] !== undefined || platform === programs
  if (!isTold) return { id, name, role: known.role }
  const role = highestRole(await findConfiguredRole(ctx, db, platform, id), known.pairedRole)
  return role === undefined ? undefined : { id, name, role }
}

/** CHAT-01: returns the configured role of an account, or undefined. A username counts only for the account it is pinned to. */
export async function findConfiguredRole(
  ctx: Pick<CoreContext, 'people'>,
  db: Db,
  platform: string,
  id: string,
): Promise<Role | undefined> {
  const lists = ctx.people[platform]
  if (lists === undefined) return undefined
  const listed = listedPeople(platform, lists)
  const byName = listed.some(({ person }) => person.kind === 'username')
  const own = byName ? await findUsernames(db, platform, id) : new Set<string>()
  const isMeant = (person: ListedPerson): boolean =>
    person.kind === 'id' ? isAccount(person.callerId, id) : own.has(person.username)
  return highestRole(...listed.filter(({ person }) => isMeant(person)).map(({ role }) => role))
}

/**
 * CHAT-01: whether a caller belongs to another team than the one the platform serves now, such as the workspace before a move,
 * whose ids may collide. False until a team was seen.
 */
export async function isOfOtherTeam(db: Db, id: string): Promise<boolean> {
  const own = teamOf(id)
  return own !== undefined && isOther(own, await findPlatformTeam(db, platformOf(id)))
}

/** Filters out entries of other teams. */
export async function withoutOtherTeams<Whose>(
  db: Db,
  all: readonly Whose[],
  idOf: (one: Whose) => string,
): Promise<readonly Whose[]> {
  const platforms = new Set(all.map((one) => platformOf(idOf(one))))
  const served = new Map<string, string | undefined>()
  for (const platform of platforms) {
    if (platformFacts(platform).hasTeams) served.set(platform, await findPlatformTeam(db, platform))
  }
  return all.filter((one) => {
    const own = teamOf(idOf(one))
    return own === undefined || !isOther(own, served.get(platformOf(idOf(one))))
  })
}

function isOther(own: string | undefined, served: string | undefined): boolean {
  return served !== undefined && own !== served
}

/** Returns the team that an id names, as in `slack:<team>:<member>`. */
function teamOf(id: string): string | undefined {
  const [platform = '', team, member] = id.split(':')
  return platformFacts(platform).hasTeams && member !== undefined ? team : undefined
}
