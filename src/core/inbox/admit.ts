import {
  type CallerHere,
  findKnownCaller,
  isNameTaken,
  type KnownCaller,
  saveCaller,
} from '../../db/people/callers.ts'
import type { Db, InboundEventRow } from '../../db/schema.ts'
import type { Caller, Role } from '../../domain/caller.ts'
import type { Incoming, Person } from '../../ports/chat.ts'
import type { CoreContext } from '../context.ts'
import { findConfiguredRole, isOfOtherTeam } from '../people/find-answerer.ts'
import { highestRole } from '../people/role-lists.ts'

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
