import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { z } from 'zod'
import { findAuditMonths, findSequences } from '../../../src/db/backup/stored-tables.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { presentSteps } from '../../../src/db/lineage/history.ts'
import { migrateToLatest } from '../../../src/db/migrate.ts'
import type { Db, Schema } from '../../../src/db/schema.ts'
import { silentLog } from '../../../src/util/log.ts'

/** Files of a data directory that an upgrade finds, besides the database; without the marks of running processes. */
const parts = ['keys', 'workers', 'workspaces', 'journal']

/** `steps`: migrations the database took, oldest first. `files`: their text by path. */
const Kept = z.object({ steps: z.array(z.string()), files: z.record(z.string(), z.string()) })

/** Lists the kept data directories, by the commit of the product that made each. */
export async function keptCommits(): Promise<readonly string[]> {
  const names = await readdir(place(''))
  return names.filter((name) => name.endsWith('.sql')).map((name) => name.slice(0, -'.sql'.length))
}

/** Saves the data directory that the product of `commit` filled and no longer uses: `<commit>.sql` and `<commit>.json`. */
async function keepDataDirectory(dataDir: string, commit: string): Promise<void> {
  await withDatabase(dataDir, async (db) => {
    const { rows: tables } = await sql<{ name: string; columns: readonly string[] }>`
      select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      group by c.relname order by c.relname`.execute(db)
    const lines = ["set timezone = 'UTC';", 'set session_replication_role = replica;']
    for (const month of await findAuditMonths(db)) {
      const partition = `audit_log_${month.slice(0, 7).replace('-', '_')}`
      lines.push(
        `select make_audit_partition('${month}') where to_regclass('${partition}') is null;`,
      )
    }
    for (const { name, columns } of tables) lines.push(...(await rowsOf(db, name, columns)))
    for (const [name, last] of Object.entries(await findSequences(db))) {
      lines.push(`select setval('${name}', ${last});`)
    }
    await writeFile(place(`${commit}.sql`), `${lines.join('\n')}\n`)
    const steps = await sql<{ name: string }>`
      select name from kysely_migration order by timestamp, name`.execute(db)
    const kept = { steps: steps.rows.map(({ name }) => name), files: await readFiles(dataDir) }
    await writeFile(place(`${commit}.json`), `${JSON.stringify(kept, undefined, 2)}\n`)
  })
}

/** Makes the data directory anew: the tables by the steps that were taken then, the rows with the names that steps had, the files. */
export async function makeDataDirectory(dataDir: string, commit: string): Promise<void> {
  const kept = Kept.parse(JSON.parse(await readFile(place(`${commit}.json`), 'utf8')))
  const rows = await readFile(place(`${commit}.sql`), 'utf8')
  await withDatabase(dataDir, async (db) => {
    await migrateToLatest(db, { steps: [...presentSteps(kept.steps)] })
    await sql`delete from kysely_migration`.execute(db)
    await sql.raw(rows).execute(db)
    await sql`
      update approval set expires_at = now() + interval '1 hour' where state = 'pending'`.execute(
      db,
    )
  })
  for (const [path, text] of Object.entries(kept.files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 })
    await writeFile(join(dataDir, path), text, { mode: 0o600 })
  }
}

function place(name: string): string {
  return fileURLToPath(new URL(`kept/${name}`, import.meta.url))
}

export async function withDatabase(
  dataDir: string,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  await using server = await startEmbeddedPostgres({
    dataDir,
    runtimeDir: undefined,
    log: silentLog,
  })
  await using database = openDatabase<Schema>(server.connection, { max: 1 })
  await work(database.db)
}

async function rowsOf(db: Db, name: string, columns: readonly string[]) {
  const { rows } = await sql<{ row: string }>`
    select to_json(t)::text as row from ${sql.id(name)} t order by 1`.execute(db)
  if (rows.length === 0) return []
  const names = columns.map((column) => `"${column}"`).join(', ')
  return [
    `insert into "${name}" (${names}) overriding system value select ${names} from json_populate_recordset(null::"${name}", $rows$[`,
    rows.map(({ row }) => row).join(',\n'),
    ']$rows$) on conflict do nothing;',
  ]
}

async function readFiles(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {}
  for (const part of parts) {
    const entries = await readdir(join(dataDir, part), { recursive: true, withFileTypes: true })
    for (const entry of entries.filter(
      (one) => one.isFile() && !one.parentPath.endsWith('replicas'),
    )) {
      const path = join(entry.parentPath, entry.name)
      files[path.slice(dataDir.length + 1)] = await readFile(path, 'utf8')
    }
  }
  return files
}

if (import.meta.main) {
  const [dataDir, commit] = process.argv.slice(2)
  if (dataDir === undefined || commit === undefined) throw new Error('DIRECTORY and COMMIT, please')
  await keepDataDirectory(dataDir, commit)
}
