import { findUsernames } from '../../db/people/username-pins.ts'
import type { Db } from '../../db/schema.ts'
import type { Role } from '../../domain/caller.ts'
import type { CoreContext } from '../context.ts'
import { highestRole, isAccount, type ListedPerson, listedPeople } from './role-lists.ts'

/**
 * CHAT-01: the role that the configuration gives an account; undefined: none. A username counts for the account that it is
 * pinned to, and for no other.
 */
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
