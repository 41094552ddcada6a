import { type RawBuilder, sql } from 'kysely'
import type { Db, WorkerRow } from '../schema.ts'
import { ago, heartbeatLimit, heartbeatLimitMs } from './heartbeat.ts'

/** SQL condition on `tool_call`: any replica of its worker is alive. */
export const hasLiveWorker = sql<boolean>`exists (
  select from worker where worker.name = tool_call.worker and worker.seen_at > ${heartbeatLimit})`

/** SQL condition on `tool_call`: a replica of its worker was alive after the call was queued, and may have taken its job. */
export const mayHaveBegun = sql<boolean>`exists (
  select from worker where worker.name = tool_call.worker
    and worker.seen_at > tool_call.queued_at - make_interval(secs => ${heartbeatLimitMs / 1000}))`

/** SQL condition on `tool_call`: the replica that started it is alive. */
export const hasLiveReplica = hasReplicaWithin(heartbeatLimitMs)

/** SQL condition on `tool_call`: the replica that started it was seen within `ms`. */
export function hasReplicaWithin(ms: number): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from worker where worker.name = tool_call.worker and worker.replica = tool_call.replica
      and worker.seen_at > ${ago(ms)})`
}

/** Returns the names of all workers seen within about a day, in order. */
export async function findWorkerNames(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom('worker').select('name').distinct().orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Stores the announcement of a replica unless a later one was stored. */
export async function saveWorker(db: Db, worker: Omit<WorkerRow, 'seen_at'>): Promise<void> {
  await db
    .insertInto('worker')
    .values(worker)
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'replica'])
        .doUpdateSet({
          seen_at: sql<Date>`now()`,
          beat: worker.beat,
          said_at: worker.said_at,
          driver: worker.driver,
          confined: worker.confined,
          warnings: worker.warnings,
          box_workspace: worker.box_workspace,
          tools: worker.tools,
        })
        .where('worker.beat', '<', worker.beat),
    )
    .execute()
}

export function findReplica(db: Db, name: string, replica: string): Promise<WorkerRow | undefined> {
  return db
    .selectFrom('worker')
    .selectAll()
    .where('name', '=', name)
    .where('replica', '=', replica)
    .executeTakeFirst()
}

/** Returns the live replicas of a worker, most recently seen first. */
export function findLiveReplicas(db: Db, name: string): Promise<WorkerRow[]> {
  return db
    .selectFrom('worker')
    .selectAll()
    .where('name', '=', name)
    .where('seen_at', '>', heartbeatLimit)
    .orderBy('seen_at', 'desc')
    .execute()
}

/** Returns the replicas of a worker seen within `withinMs`; they may be alive but cut off from the queue. */
export async function findRecentReplicas(
  db: Db,
  name: string,
  withinMs: number,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('worker')
    .select('replica')
    .where('name', '=', name)
    .where('seen_at', '>', ago(withinMs))
    .execute()
  return rows.map((row) => row.replica)
}

/** Returns the live replicas of all workers, by name. */
export function findAllLiveReplicas(db: Db): Promise<WorkerRow[]> {
  return db
    .selectFrom('worker')
    .selectAll()
    .where('seen_at', '>', heartbeatLimit)
    .orderBy('name')
    .orderBy('replica')
    .execute()
}

/** What the gate must know of a replica. */
export type KnownReplica = Pick<
  WorkerRow,
  'replica' | 'driver' | 'confined' | 'warnings' | 'box_workspace'
> & { readonly is_alive: boolean }

/**
 * Returns the live replicas of a worker, most recently seen first, or the last one seen if none is alive, so that a short
 * absence does not change what the gate knows about its boxes.
 */
export function findKnownReplicas(db: Db, name: string): Promise<KnownReplica[]> {
  return selectKnownReplicas(db, name).execute()
}

/** The same, to be part of a statement. */
export function selectKnownReplicas(db: Db, name: string) {
  return db
    .selectFrom('worker')
    .select(['replica', 'driver', 'confined', 'warnings', 'box_workspace'])
    .select(sql<boolean>`seen_at > ${heartbeatLimit}`.as('is_alive'))
    .where('name', '=', name)
    .where((eb) =>
      eb.or([
        eb('seen_at', '>', heartbeatLimit),
        eb(
          'seen_at',
          '=',
          eb
            .selectFrom('worker as other')
            .select((max) => max.fn.max('other.seen_at').as('last'))
            .where('other.name', '=', name),
        ),
      ]),
    )
    .orderBy('seen_at', 'desc')
}

/** Marks a replica as gone after it shut down. Its key is kept to verify messages that it sent before. */
export async function retireReplica(
  db: Db,
  { name, replica, beat }: { name: string; replica: string; beat: number },
): Promise<void> {
  await db
    .updateTable('worker')
    .set({ seen_at: sql<Date>`least(seen_at, ${heartbeatLimit})`, beat })
    .where('name', '=', name)
    .where('replica', '=', replica)
    .where('beat', '<', beat)
    .execute()
}

/** Deletes replicas not seen for `days`; returns them. */
export async function deleteOldReplicas(
  db: Db,
  days: number,
): Promise<readonly Pick<WorkerRow, 'name' | 'replica'>[]> {
  return db
    .deleteFrom('worker')
    .where('seen_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .returning(['name', 'replica'])
    .execute()
}

/** Deletes all replicas of a worker, for a start with no other process running. */
export async function deleteReplicas(db: Db, name: string): Promise<void> {
  await db.deleteFrom('worker').where('name', '=', name).execute()
}
