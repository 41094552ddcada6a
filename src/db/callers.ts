import type { Caller } from '../domain/caller.ts'
import type { Db } from './schema.ts'

/** Makes the caller known, or brings name and role up to date. */
export async function saveCaller(db: Db, caller: Caller): Promise<void> {
  await db
    .insertInto('caller')
    .values({ id: caller.id, name: caller.name, role: caller.role })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ name: caller.name, role: caller.role }),
    )
    .execute()
}

/** The caller as stored; undefined for a stranger. */
export async function findCaller(db: Db, id: string): Promise<Caller | undefined> {
  return db
    .selectFrom('caller')
    .select(['id', 'name', 'role'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** What people call a caller; the id where no name is known. */
export async function nameOf(db: Db, id: string): Promise<string> {
  return (await findCaller(db, id))?.name ?? id
}
