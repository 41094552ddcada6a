import { type RawBuilder, sql } from 'kysely'
import type { Db, WorkerRow } from '../schema.ts'
import { ago, heartbeatLimit, heartbeatLimitMs } from './heartbeat.ts'

/** Whether any replica of a call's worker lives: a condition on `tool_call`. */
export const hasLiveWorker = sql<boolean>`exists (
  select from worker where worker.name = tool_call.worker and worker.seen_at > ${heartbeatLimit})`

/** Whether the very replica that began a call lives. */
export const hasLiveReplica = hasReplicaWithin(heartbeatLimitMs)

/** Whether the very replica that began a call was heard of within so long. */
export function hasReplicaWithin(ms: number): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from worker where worker.name = tool_call.worker and worker.replica = tool_call.replica
      and worker.seen_at > ${ago(ms)})`
}

/** The names of all workers that were heard of within about a day, in order. */
export async function findWorkerNames(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom('worker').select('name').distinct().orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Notes what a replica says of itself, unless it has said something later. */
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

/** The replicas of a worker that live, the last heard of first. */
export function findLiveReplicas(db: Db, name: string): Promise<WorkerRow[]> {
  return db
    .selectFrom('worker')
    .selectAll()
    .where('name', '=', name)
    .where('seen_at', '>', heartbeatLimit)
    .orderBy('seen_at', 'desc')
    .execute()
}

/** The replicas of a worker that were heard of within so long: they live, or may be cut off from the queue. */
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

/** The replicas of all workers that live, by name. */
export function findAllLiveReplicas(db: Db): Promise<WorkerRow[]> {
  return db
    .selectFrom('worker')
    .selectAll()
    .where('seen_at', '>', heartbeatLimit)
    .orderBy('name')
    .orderBy('replica')
    .execute()
}

export interface KnownReplica extends WorkerRow {
  readonly is_alive: boolean
}

/**
 * What the gate knows of a worker's boxes: the replicas that live, the last heard of first; where none does, the one that
 * lived last, so that a worker that is away for a moment is not taken for another kind of box.
 */
export function findKnownReplicas(db: Db, name: string): Promise<KnownReplica[]> {
  return db
    .selectFrom('worker')
    .selectAll()
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
    .execute()
}

/** A replica has said farewell: it lives no more. What it sent before that is still to be verified, so its key stays. */
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

/** Removes replicas that nobody has heard of for `days`; answers which. */
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

/** For a start that knows that nobody else lives: whatever replicas were, are gone. */
export async function forgetReplicas(db: Db, name: string): Promise<void> {
  await db.deleteFrom('worker').where('name', '=', name).execute()
}
