import { sql } from 'kysely'
import type { AgentRow, Db } from '../schema.ts'
import { ago, heartbeatLimit } from './heartbeat.ts'

/** Announcement of an agent. */
export interface AgentAnnouncement {
  readonly id: string
  readonly model: string
  /** Further models, from which people choose. */
  readonly models?: readonly ModelChoice[]
  readonly warnings: readonly string[]
  /** Public key that verifies its live events; SPKI PEM. */
  readonly liveKey: string
  readonly host: string
  readonly rules: AgentRules
}

/** Model that people can choose. */
export interface ModelChoice {
  /** Name set by the operator: `[models.<name>]`. */
  readonly name: string
  /** Provider and model. */
  readonly about: string
}

/** Rules of a worker as loaded by an agent. */
export interface AgentRules {
  readonly worker: string
  /** Location of the rules for people. */
  readonly path: string
  /** Digest of the rules and of what the configuration adds to them. */
  readonly sha256: string
}

/** Records that an agent is alive, with its announcement. */
export async function saveAgent(db: Db, agent: AgentAnnouncement): Promise<void> {
  const { id, model, host, rules, liveKey: live_key } = agent
  const announced = {
    model,
    models: JSON.stringify(agent.models ?? []),
    warnings: JSON.stringify(agent.warnings),
    host,
    rules_worker: rules.worker,
    rules_path: rules.path,
    rules_sha256: rules.sha256,
  }
  const now = sql<Date>`now()`
  await db
    .insertInto('agent')
    .values({ id, live_key, ...announced, rules_since: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ ...announced, rules_since: sinceChange, seen_at: now }),
    )
    .execute()
}

const sinceChange = sql<Date>`case
  when (agent.rules_worker, agent.rules_sha256) = (excluded.rules_worker, excluded.rules_sha256)
  then agent.rules_since else excluded.rules_since end`

/** Returns the key of an agent's live events; undefined for an unknown agent. */
export async function findAgentKey(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('agent')
    .select('live_key')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.live_key
}

/** Returns live agents, most recently seen first. */
export function findLiveAgents(db: Db): Promise<AgentRow[]> {
  return db
    .selectFrom('agent')
    .selectAll()
    .where('seen_at', '>', heartbeatLimit)
    .orderBy('seen_at', 'desc')
    .execute()
}

/** Returns live agents that have had their current rules for `forMs`, ordered by worker, rules and id. */
export async function findSettledRules(
  db: Db,
  forMs: number,
): Promise<readonly (AgentRules & { readonly id: string; readonly host: string })[]> {
  return db
    .selectFrom('agent')
    .select([
      'id',
      'host',
      'rules_worker as worker',
      'rules_path as path',
      'rules_sha256 as sha256',
    ])
    .where('seen_at', '>', heartbeatLimit)
    .where('rules_since', '<=', ago(forMs))
    .orderBy('rules_worker')
    .orderBy('rules_sha256')
    .orderBy('id')
    .$narrowType<{ host: string; worker: string; path: string; sha256: string }>()
    .execute()
}

/** Deletes an agent that shut down. */
export async function deleteAgent(db: Db, id: string): Promise<void> {
  await db.deleteFrom('agent').where('id', '=', id).execute()
}

/** Deletes agents not seen for an hour, which ended without notice. */
export async function deleteLostAgents(db: Db): Promise<void> {
  await db.deleteFrom('agent').where('seen_at', '<', sql<Date>`now() - interval '1 hour'`).execute()
}
