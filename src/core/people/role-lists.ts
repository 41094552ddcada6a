import { type Role, roleRanks } from '../../domain/caller.ts'
import type { RoleLists } from '../context.ts'

/** An entry of the lists: who it means. */
export type ListedPerson =
  | { readonly kind: 'id'; readonly callerId: string }
  | { readonly kind: 'username'; readonly username: string }

/** The highest of these roles; undefined where there is none. */
export function highestRole(...roles: readonly (Role | null | undefined)[]): Role | undefined {
  return roleRanks.findLast((role) => roles.includes(role))
}

const accountId = /^\d+$/
/** Slack's are in capitals, and its usernames are not. */
const memberId = /^[UW][A-Z0-9]{4,30}$/

/**
 * Whether an id of the configuration is this caller's. One of Slack names no team and means somebody of the `team` that is
 * served, or of any while none was met.
 */
export function isAccount(listed: string, callerId: string, team?: string): boolean {
  if (listed === callerId) return true
  const [platform, own, member] = callerId.split(':')
  if (platform !== 'slack' || member === undefined || (team !== undefined && own !== team))
    return false
  return listed === `slack:${member}`
}

/** Whom an entry means; usernames come in lower case without `@`. */
function toListedPerson(platform: string, entry: string): ListedPerson {
  return (platform === 'slack' ? memberId : accountId).test(entry)
    ? { kind: 'id', callerId: `${platform}:${entry}` }
    : { kind: 'username', username: entry.replace(/^@/, '').toLowerCase() }
}

/** Whether an account is in the lists by its id: that takes no look at what a username was resolved to. */
export function isListedById(platform: string, lists: RoleLists | undefined, id: string): boolean {
  if (lists === undefined) return false
  return listedPeople(platform, lists).some(
    ({ person }) => person.kind === 'id' && isAccount(person.callerId, id),
  )
}

/** Everybody in the lists, each with the role of the list. */
export function listedPeople(
  platform: string,
  { users, approvers, operators }: RoleLists,
): readonly { readonly person: ListedPerson; readonly role: Role }[] {
  const from = (entries: readonly string[], role: Role) =>
    entries.map((entry) => ({ person: toListedPerson(platform, entry), role }))
  return [...from(users, 'user'), ...from(approvers, 'approver'), ...from(operators, 'operator')]
}
