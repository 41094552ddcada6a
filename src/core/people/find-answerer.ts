import { findKnownCaller } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import type { Caller } from '../../domain/caller.ts'
import { platformOf } from '../../domain/chat-address.ts'
import type { CoreContext } from '../context.ts'
import { findConfiguredRole } from './configured-role.ts'
import { isOfOtherTeam } from './other-teams.ts'
import { highestRole } from './role-lists.ts'

/** Of the API: what a program has is what its token gave, and nothing once that was revoked. */
const programs = 'api'

/**
 * Who somebody is now, who answered a question or could; undefined: nobody, or shut out meanwhile. Of a platform of which
 * this process is told nothing, as an agent apart may be, and of one that lets nobody in by itself, people are who they are
 * stored as.
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
