import { type Role, roleRanks } from '../../domain/caller.ts'
import { platformFacts } from '../../domain/chat-platforms.ts'
import type { RoleLists } from '../context.ts'

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
