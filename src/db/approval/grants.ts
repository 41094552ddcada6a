import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { z } from 'zod'
import { type GrantLife, grantTerms } from '../../domain/grant-life.ts'
import { newId } from '../../util/ids.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Db, Schema } from '../schema.ts'
import { takeNumbers } from '../turn/sessions.ts'
import { fromNow } from './approvals.ts'

export type GrantRow = Selectable<Schema['grant_rule']>

/** Grant of a caller in a session, as the gate needs it. */
export interface LiveGrant {
  readonly id: string
  readonly tool: string
  readonly pattern: string
  readonly life: GrantLife
  readonly usesLeft: number | null
  readonly beats: readonly string[] | null
}

/** SQL condition: not revoked, not used up and not expired, by the database's clock. Ends with a turn are checked separately. */
const isLive = sql<boolean>`(
  revoked_at is null and (uses_left is null or uses_left > 0)
  and (expires_at is null or expires_at > now()))`

/** Returns grants that apply to a caller's calls in this turn. */
export async function findGrants(
  db: Db,
  sessionId: string,
  turn: { readonly id: string; readonly caller_id: string },
): Promise<LiveGrant[]> {
  return (await selectGrants(db, sessionId, turn).execute()).map(toLiveGrant)
}

/** The same, to be part of a statement; `toLiveGrant` makes grants of the rows. */
export function selectGrants(
  db: Db,
  sessionId: string,
  turn: { readonly id: string; readonly caller_id: string },
) {
  return db
    .selectFrom('grant_rule')
    .select(['id', 'tool', 'pattern', 'life', 'uses_left as usesLeft', 'beats'])
    .where('session_id', '=', sessionId)
    .where('caller_id', '=', turn.caller_id)
    .where(isLive)
    .where((eb) => eb.or([eb('turn_id', 'is', null), eb('turn_id', '=', turn.id)]))
    .orderBy('number')
}

export function toLiveGrant<Row extends { readonly beats: string | null }>(row: Row) {
  return { ...row, beats: readBeats(row.beats) }
}

const beatsSchema = z.array(z.string())

/** Parses the ask rules that a stored grant overrides; throws a ZodError if they are not a list of texts. */
export function readBeats(text: string | null): string[] | null {
  return text === null ? null : beatsSchema.parse(JSON.parse(text))
}

/** Returns active grants of a session, of all callers unless `callerId` is given. */
export function findLiveGrants(
  db: Db,
  sessionId: string,
  of: { readonly callerId?: string; readonly number?: number } = {},
): Promise<GrantRow[]> {
  const { callerId, number } = of
  return db
    .selectFrom('grant_rule')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where(isLive)
    .where((eb) => eb.or([eb('turn_id', 'is', null), eb.exists(turnsOf(db))]))
    .$if(callerId !== undefined, (query) => query.where('caller_id', '=', callerId ?? ''))
    .$if(number !== undefined, (query) => query.where('number', '=', number ?? 0))
    .orderBy('number')
    .execute()
}

function turnsOf(db: Db) {
  return db
    .selectFrom('turn')
    .select('turn.id')
    .where('turn.id', '=', sql.ref<string>('grant_rule.turn_id'))
    .where('turn.ended_at', 'is', null)
}

export function findGrant(db: Db, id: string): Promise<GrantRow | undefined> {
  return db.selectFrom('grant_rule').selectAll().where('id', '=', id).executeTakeFirst()
}

export interface NewGrants {
  readonly sessionId: string
  readonly callerId: string
  readonly tool: string
  readonly patterns: readonly string[]
  /** Ask rules that each pattern overrides; null if unknown. */
  readonly beats: Readonly<Record<string, readonly string[]>> | null
  readonly life: GrantLife
  /** Turn of the approved call. */
  readonly turnId: string
  readonly approvalId: string
  readonly grantedBy: string
}

/**
 * Inserts a grant for each pattern. Skips patterns that are already granted for always and override at least the same ask
 * rules. Call under the session's lock.
 */
export async function insertGrants(db: Db, grant: NewGrants): Promise<void> {
  const { life } = grant
  const known = life === 'always' ? await findAlwaysGrants(db, grant) : []
  const patterns = [...new Set(grant.patterns)].filter((pattern) => {
    const beats = beatsOf(grant, pattern) ?? []
    return !known.some((one) => one.pattern === pattern && includesAll(one.beats, beats))
  })
  if (patterns.length === 0) return
  const first = await takeNumbers(db, grant.sessionId, 'next_grant_number', patterns.length)
  const { forMs, uses } = life === 'always' ? {} : grantTerms[life]
  const values = patterns.map((pattern, index) => ({
    id: newId(),
    session_id: grant.sessionId,
    caller_id: grant.callerId,
    tool: grant.tool,
    pattern,
    beats: storedBeats(beatsOf(grant, pattern)),
    approval_id: grant.approvalId,
    granted_by: grant.grantedBy,
    number: first + index,
    life,
    turn_id: life === 'turn' ? grant.turnId : null,
    expires_at: forMs === undefined ? null : fromNow(forMs),
    uses_left: uses ?? null,
  }))
  await db.insertInto('grant_rule').values(values).execute()
}

function beatsOf({ beats }: NewGrants, pattern: string): readonly string[] | null {
  if (beats === null) return null
  return Object.hasOwn(beats, pattern) ? (beats[pattern] ?? []) : []
}

function storedBeats(beats: readonly string[] | null): string | null {
  return beats === null ? null : toStorable(JSON.stringify(beats))
}

function includesAll(known: readonly string[] | null, wanted: readonly string[]): boolean {
  return wanted.every((name) => known?.includes(name) === true)
}

async function findAlwaysGrants(
  db: Db,
  { sessionId, callerId, tool }: NewGrants,
): Promise<readonly Pick<LiveGrant, 'pattern' | 'beats'>[]> {
  const rows = await db
    .selectFrom('grant_rule')
    .select(['pattern', 'beats'])
    .where('session_id', '=', sessionId)
    .where('caller_id', '=', callerId)
    .where('tool', '=', tool)
    .where('life', '=', sql.lit('always'))
    .where(isLive)
    .execute()
  return rows.map(({ pattern, beats }) => ({ pattern, beats: readBeats(beats) }))
}

/**
 * Takes one use from each grant, or from none and returns false if any has ended. Call in the transaction that marks the
 * call as sent.
 */
export async function takeGrantUses(db: Db, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true
  const live = await db
    .selectFrom('grant_rule')
    .select('id')
    .where('id', 'in', ids)
    .where(isLive)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  if (live.length < ids.length) return false
  await addUses(db, ids, -1)
  return true
}

/** Returns the uses that a call took, because it did nothing. */
export async function returnUses(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await addUses(db, ids, 1)
}

async function addUses(db: Db, ids: readonly string[], count: number): Promise<void> {
  await db
    .updateTable('grant_rule')
    .set((eb) => ({ uses_left: eb('uses_left', '+', count) }))
    .where('id', 'in', ids)
    .where('uses_left', 'is not', null)
    .execute()
}

/** Revokes a grant; undefined if it had already ended. */
export function revokeGrant(db: Db, id: string, by: string): Promise<GrantRow | undefined> {
  return db
    .updateTable('grant_rule')
    .set({ revoked_at: sql<Date>`now()`, revoked_by: by })
    .where('id', '=', id)
    .where(isLive)
    .returningAll()
    .executeTakeFirst()
}

/** Returns the patterns of an approval whose grants have not been revoked. */
export async function findUnrevoked(
  db: Db,
  approvalId: string,
  patterns: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('grant_rule')
    .select('pattern')
    .where('approval_id', '=', approvalId)
    .where('revoked_at', 'is not', null)
    .execute()
  const revoked = new Set(rows.map(({ pattern }) => pattern))
  return patterns.filter((pattern) => !revoked.has(pattern))
}

/** Deletes the session grants of an approval, which are kept elsewhere from now on. */
export async function dropGrantsOf(db: Db, approvalId: string): Promise<void> {
  await db
    .deleteFrom('grant_rule')
    .where('approval_id', '=', approvalId)
    .where('revoked_at', 'is', null)
    .execute()
}
