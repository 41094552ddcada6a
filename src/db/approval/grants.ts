import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { type GrantLife, grantTerms } from '../../domain/grant-life.ts'
import { newId } from '../../util/new-id.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Db, Schema } from '../schema.ts'
import { takeNumbers } from '../turn/sessions.ts'
import { fromNow } from './approvals.ts'

export type GrantRow = Selectable<Schema['grant_rule']>

/** What was allowed to a caller in a session, as the gate takes it. */
export interface LiveGrant {
  readonly id: string
  readonly tool: string
  readonly pattern: string
  readonly life: GrantLife
  readonly usesLeft: number | null
  readonly beats: readonly string[] | null
}

/** By the database's clock: neither taken back, nor used up, nor over. Its turn is looked at apart. */
const isLive = sql<boolean>`(
  revoked_at is null and (uses_left is null or uses_left > 0)
  and (expires_at is null or expires_at > now()))`

/** Grants that hold for a caller's calls in this turn. */
export async function findGrants(
  db: Db,
  sessionId: string,
  turn: { readonly id: string; readonly caller_id: string },
): Promise<LiveGrant[]> {
  const rows = await db
    .selectFrom('grant_rule')
    .select(['id', 'tool', 'pattern', 'life', 'uses_left as usesLeft', 'beats'])
    .where('session_id', '=', sessionId)
    .where('caller_id', '=', turn.caller_id)
    .where(isLive)
    .where((eb) => eb.or([eb('turn_id', 'is', null), eb('turn_id', '=', turn.id)]))
    .orderBy('number')
    .execute()
  return rows.map((row) => ({ ...row, beats: readBeats(row.beats) }))
}

/** The questions that a stored grant wins over. */
export function readBeats(text: string | null): string[] | null {
  return text === null ? null : JSON.parse(text)
}

/** A grant that nobody has taken back and that has not ended, of anybody in the session. */
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
  /** By pattern the questions that each wins over; null: not known. */
  readonly beats: Readonly<Record<string, readonly string[]>> | null
  readonly life: GrantLife
  /** Of the call that was asked about. */
  readonly turnId: string
  readonly approvalId: string
  readonly grantedBy: string
}

/**
 * One for each pattern; what is allowed for always already, over no fewer questions, is not added again. Call under the session's
 * lock.
 */
export async function insertGrants(db: Db, grant: NewGrants): Promise<void> {
  const { life } = grant
  const known = life === 'always' ? await findStanding(db, grant) : []
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

async function findStanding(
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
 * Takes one use of each of these grants, or of none: false when one of them is over, used up or taken back. In one
 * transaction with what marks the call as sent.
 */
export async function spendGrants(db: Db, ids: readonly string[]): Promise<boolean> {
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

/** Gives back what a call took that did nothing after all. */
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

/** Takes a grant back; undefined: it was over already. */
export function revokeGrant(db: Db, id: string, by: string): Promise<GrantRow | undefined> {
  return db
    .updateTable('grant_rule')
    .set({ revoked_at: sql<Date>`now()`, revoked_by: by })
    .where('id', '=', id)
    .where(isLive)
    .returningAll()
    .executeTakeFirst()
}

/** Those patterns of an answer that nobody has taken back since. */
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

/** What an answer granted in its session holds elsewhere from now on. */
export async function dropGrantsOf(db: Db, approvalId: string): Promise<void> {
  await db
    .deleteFrom('grant_rule')
    .where('approval_id', '=', approvalId)
    .where('revoked_at', 'is', null)
    .execute()
}
