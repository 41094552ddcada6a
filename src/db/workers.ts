import { sql } from 'kysely'
import type { Db, WorkerRow } from './schema.ts'

/** A replica whose last word is older than this is taken for dead (INT-11). */
export const heartbeatLimitMs = 15_000

export async function saveWorker(db: Db, worker: Omit<WorkerRow, 'seen_at'>): Promise<void> {
  await db
    .insertInto('worker')
    .values(worker)
    .onConflict((conflict) =>
      conflict.columns(['name', 'replica']).doUpdateSet({
        seen_at: sql<Date>`now()`,
        driver: worker.driver,
        confined: worker.confined,
        warnings: worker.warnings,
        box_workspace: worker.box_workspace,
        tools: worker.tools,
      }),
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
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${heartbeatLimitMs / 1000})`)
    .orderBy('seen_at', 'desc')
    .execute()
}

export async function removeReplica(db: Db, name: string, replica: string): Promise<void> {
  await db.deleteFrom('worker').where('name', '=', name).where('replica', '=', replica).execute()
}

/** For a start that knows that nobody else lives: whatever replicas were, are gone. */
export async function forgetReplicas(db: Db, name: string): Promise<void> {
  await db.deleteFrom('worker').where('name', '=', name).execute()
}
