import { sql } from 'kysely'
import type { AgentRow, Db } from '../schema.ts'
import { ago, heartbeatLimit } from './heartbeat.ts'

/** What an agent says of itself. */
export interface SaidOfAgent {
  readonly id: string
  readonly model: string
  /** Further ones, from which people choose. */
  readonly models?: readonly ModelChoice[]
  readonly warnings: readonly string[]
  /** Verifies what it says live; SPKI PEM. */
  readonly liveKey: string
  readonly host: string
  readonly rules: AgentRules
}

/** A model that people can choose. */
export interface ModelChoice {
  /** The operator's: `[models.<name>]`. */
  readonly name: string
  /** Provider and model. */
  readonly about: string
}

/** The rules of a worker as an agent has them. */
export interface AgentRules {
  readonly worker: string
  /** Where a person finds them. */
  readonly path: string
  /** Of them and of what the configuration adds to them. */
  readonly sha256: string
}

/** Notes that an agent lives, and what people should know of it. */
export async function saveAgent(db: Db, agent: SaidOfAgent): Promise<void> {
  const { id, model, host, rules, liveKey: live_key } = agent
  const said = {
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
    .values({ id, live_key, ...said, rules_since: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ ...said, rules_since: sinceChange, seen_at: now }),
    )
    .execute()
}

const sinceChange = sql<Date>`case
  when (agent.rules_worker, agent.rules_sha256) = (excluded.rules_worker, excluded.rules_sha256)
  then agent.rules_since else excluded.rules_since end`

/** The key of an agent's live events; undefined: there is no such agent. */
export async function findAgentKey(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('agent')
    .select('live_key')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.live_key
}

/** The agents that live, the last heard of first. */
export function findLiveAgents(db: Db): Promise<AgentRow[]> {
  return db
    .selectFrom('agent')
    .selectAll()
    .where('seen_at', '>', heartbeatLimit)
    .orderBy('seen_at', 'desc')
    .execute()
}

/** The agents that live and have had their rules for so long, by worker, rules and id; where which agent has them. */
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

/** Removes an agent that says farewell. */
export async function deleteAgent(db: Db, id: string): Promise<void> {
  await db.deleteFrom('agent').where('id', '=', id).execute()
}

/** Removes those that nobody has heard of for an hour: they ended without a farewell. */
export async function deleteLostAgents(db: Db): Promise<void> {
  await db.deleteFrom('agent').where('seen_at', '<', sql<Date>`now() - interval '1 hour'`).execute()
}
