import {
  type CallerHere,
  findKnownCaller,
  type KnownCaller,
  saveCaller,
} from '../../db/people/callers.ts'
import { findPlatformTeam } from '../../db/people/platform-teams.ts'
import { findUsernames, isNameTaken } from '../../db/people/username-pins.ts'
import type { Db, InboundEventRow } from '../../db/schema.ts'
import { type Caller, platformOf, type Role, roleRanks } from '../../domain/caller.ts'
import { platformFacts } from '../../domain/chat-platforms.ts'
import type { Incoming, Person } from '../../ports/chat.ts'
import type { CoreContext, RoleLists } from '../context.ts'

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
async function findConfiguredRole(
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

/** Entry of the role lists. */
export type ListedPerson =
  | { readonly kind: 'id'; readonly callerId: string }
  | { readonly kind: 'username'; readonly username: string }

/** Returns the highest of these roles; undefined if there is none. */
export function highestRole(...roles: readonly (Role | null | undefined)[]): Role | undefined {
  return roleRanks.findLast((role) => roles.includes(role))
}

/**
 * Whether a configured id is this caller's. Where caller ids name a team, a configured id means a
 * member of the served `team`, or of any until one was seen.
 */
export function isAccount(listed: string, callerId: string, team?: string): boolean {
  if (listed === callerId) return true
  const [platform = '', own, member] = callerId.split(':')
  if (!platformFacts(platform).hasTeams || member === undefined) return false
  return (team === undefined || own === team) && listed === `${platform}:${member}`
}

/** Parses a list entry; usernames are lowercased, without `@`. */
function toListedPerson(platform: string, entry: string): ListedPerson {
  return platformFacts(platform).accountId.test(entry)
    ? { kind: 'id', callerId: `${platform}:${entry}` }
    : { kind: 'username', username: entry.replace(/^@/, '').toLowerCase() }
}

/** Whether an account is listed by id, without resolving usernames. */
export function isListedById(platform: string, lists: RoleLists | undefined, id: string): boolean {
  if (lists === undefined) return false
  return listedPeople(platform, lists).some(
    ({ person }) => person.kind === 'id' && isAccount(person.callerId, id),
  )
}

/** Lists all entries with their roles. */
export function listedPeople(
  platform: string,
  { users, approvers, operators }: RoleLists,
): readonly { readonly person: ListedPerson; readonly role: Role }[] {
  const from = (entries: readonly string[], role: Role) =>
    entries.map((entry) => ({ person: toListedPerson(platform, entry), role }))
  return [...from(users, 'user'), ...from(approvers, 'approver'), ...from(operators, 'operator')]
}

/**
 * CHAT-01: returns a caller by configuration and pairing; undefined for a stranger, whatever their former role. A username counts
 * only for the account it is pinned to. Updates the stored name and role. `here`: what was read of the caller already.
 */
export async function admit(
  ctx: CoreContext,
  db: Db,
  { platform, from }: Incoming,
  here?: CallerHere,
): Promise<Caller | undefined> {
  if (await isOfOtherTeam(db, from.id)) return undefined
  const configured = await findConfiguredRole(ctx, db, platform, from.id)
  const known = here === undefined ? await findKnownCaller(db, from.id) : here.caller
  const role = highestRole(configured, known?.pairedRole)
  if (role === undefined) return undefined
  const name = nameOf(from)
  // A person sharing another's name keeps the longer one.
  if (known !== undefined && known.role === role && isNamed(known.name, name)) {
    return { id: from.id, name: known.name, role }
  }
  const caller = { id: from.id, name: await distinctName(db, from, name), role }
  return save(db, caller, configured)
}

/**
 * Returns the current caller of a stored message or tap; undefined if they were removed meanwhile. On a platform without
 * configured people (the terminal) the stored caller counts.
 */
export async function findPresent(
  ctx: CoreContext,
  db: Db,
  { platform, caller_id: id }: Pick<InboundEventRow, 'platform' | 'caller_id'>,
  known: Omit<KnownCaller, 'since'> | undefined,
): Promise<Caller | undefined> {
  if (await isOfOtherTeam(db, id)) return undefined
  if (known === undefined || ctx.people[platform] === undefined) return known
  const role = highestRole(await findConfiguredRole(ctx, db, platform, id), known.pairedRole)
  return role === undefined ? undefined : { id, name: known.name, role }
}

async function save(
  db: Db,
  caller: Caller,
  configured: Role | undefined,
): Promise<Caller | undefined> {
  await saveCaller(db, caller)
  // The row is locked now: a pairing or its end that came in between counts.
  const known = await findKnownCaller(db, caller.id)
  const role = highestRole(configured, known?.pairedRole)
  if (role === caller.role) return caller
  await saveCaller(db, { ...caller, role: role ?? 'user' })
  return role === undefined ? undefined : { ...caller, role }
}

const longestName = 80
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not begin lines of its own, or turn text around
const unfitForNames = /[\0-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

function isNamed(stored: string, name: string): boolean {
  return stored === name || (stored.startsWith(`${name} (`) && stored.endsWith(')'))
}

/** Makes names unique, as cards name who asked and answered: a second Eve is `Eve (@mallory)`. */
async function distinctName(db: Db, { id, username }: Person, name: string): Promise<string> {
  if (!(await isNameTaken(db, name, id))) return name
  return `${name} (${username === undefined ? id : `@${username}`})`
}

/** Sanitises the name a person chose, which cards, transcripts and the audit show. */
function nameOf({ id, name, username }: Person): string {
  const plain = name
    .toWellFormed()
    .replaceAll(unfitForNames, ' ')
    .replace(/^[\s/]+/, '')
    .trim()
  return [...plain].slice(0, longestName).join('') || username || id
}
