import type { RoleLists } from '../core/context.ts'
import {
  highestRole,
  isAccount,
  type ListedPerson,
  listedPeople,
  withoutOtherTeams,
} from '../core/people/people.ts'
import { type ApiTokenHolder, findApiTokenHolders } from '../db/people/api-tokens.ts'
import { findLinkedAccounts, type LinkedAccount } from '../db/people/caller-links.ts'
import { findCallerIds, findPairedOr } from '../db/people/callers.ts'
import { findOpenCodes } from '../db/people/pairing.ts'
import { findPlatformTeam } from '../db/people/platform-teams.ts'
import { findAllPins } from '../db/people/username-pins.ts'
import type { Db } from '../db/schema.ts'
import type { Role } from '../domain/caller.ts'
import { platformFacts } from '../domain/chat-platforms.ts'
import { peopleOf } from './people-of.ts'
import { type CommandInput, withDatabase } from './with-database.ts'

/** Person who may use the bot. */
export interface AllowedPerson {
  /** Caller id; `telegram:@ada` for a username that has not been resolved yet. */
  readonly id: string
  /** Absent until the person has written. */
  readonly name?: string
  readonly since?: Date
  /** Current role. */
  readonly role: Role
  readonly configured?: Role
  readonly paired?: Role
}

export interface PeopleView {
  readonly people: readonly AllowedPerson[]
  readonly openCodes: readonly { readonly role: Role; readonly expiresAt: Date }[]
  /** Linked accounts, grouped by person. */
  readonly linked: readonly LinkedAccount[]
  /** Programs with an API token. */
  readonly programs: readonly ApiTokenHolder[]
}

/** CHAT-01: lists everybody with a role, by configuration or pairing, and valid codes. */
export function listPeople(
  input: CommandInput & { readonly signal: AbortSignal },
): Promise<PeopleView> {
  return withDatabase(input, async ({ db }) => {
    const codes = await findOpenCodes(db)
    const programs = await findApiTokenHolders(db)
    const people = await findPeople(db, await findConfiguredRoles(db, peopleOf(input.config)))
    return {
      people: people.filter(({ id }) => !programs.some((program) => program.id === id)),
      programs,
      linked: await findLinkedAccounts(db),
      openCodes: codes.map(({ role, expires_at }) => ({ role, expiresAt: expires_at })),
    }
  })
}

/** Returns configured roles by caller id; an unresolved username stands for itself. */
export async function findConfiguredRoles(
  db: Db,
  people: Readonly<Record<string, RoleLists>>,
): Promise<ReadonlyMap<string, Role>> {
  const roles = new Map<string, Role>()
  for (const [platform, lists] of Object.entries(people)) {
    const pins = await withoutOtherTeams(
      db,
      await findAllPins(db, platform),
      ({ caller_id }) => caller_id,
    )
    const team = await findPlatformTeam(db, platform)
    const owners = new Map(pins.map((pin) => [pin.username, pin.caller_id]))
    const known = platformFacts(platform).hasTeams ? await findCallerIds(db, platform) : []
    const accountsOf = (person: ListedPerson): readonly string[] => {
      if (person.kind === 'username')
        return [owners.get(person.username) ?? `${platform}:@${person.username}`]
      const own = known.filter((callerId) => isAccount(person.callerId, callerId, team))
      return own.length === 0 ? [person.callerId] : own
    }
    for (const { person, role } of listedPeople(platform, lists)) {
      for (const id of accountsOf(person)) roles.set(id, highestRole(roles.get(id), role) ?? role)
    }
  }
  return roles
}

/** Returns everybody with a configured or paired role. */
export async function findPeople(
  db: Db,
  configured: ReadonlyMap<string, Role>,
): Promise<readonly AllowedPerson[]> {
  const paired = await findPairedOr(db, [...configured.keys()])
  const known = await withoutOtherTeams(db, paired, ({ id }) => id)
  const ids = new Set([...configured.keys(), ...known.map(({ id }) => id)])
  const callers = new Map(known.map((caller) => [caller.id, caller]))
  return [...ids].sort().flatMap((id) => {
    const caller = callers.get(id)
    const fromConfig = configured.get(id)
    const byPairing = caller?.pairedRole ?? undefined
    const role = highestRole(fromConfig, byPairing)
    if (role === undefined) return []
    return {
      id,
      role,
      ...(caller !== undefined && { name: caller.name, since: caller.since }),
      ...(fromConfig !== undefined && { configured: fromConfig }),
      ...(byPairing !== undefined && { paired: byPairing }),
    }
  })
}
