import { type Kysely, type RawBuilder, sql } from 'kysely'

/**
 * GATE-04: the rules of a worker as a row, for agents on several machines. Versions are never used twice, not even by a row that
 * was removed and made again; whoever changes a row, by hand too, makes a new version, and the text before it is kept.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  const schema = rows[0]?.schema ?? 'public'
  const inSchema = (name: string) => sql.id(schema, name)
  await sql`create sequence worker_permissions_version`.execute(db)
  await sql`
    create table worker_permissions (
      worker text primary key check (worker ~ '^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$'),
      text text not null check (char_length(text) <= 1000000),
      version bigint not null default nextval('worker_permissions_version'),
      updated_at timestamptz not null default now(),
      updated_by text
    )`.execute(db)
  await sql`
    create table worker_permissions_past (
      worker text not null,
      version bigint not null,
      text text not null,
      updated_at timestamptz not null,
      updated_by text,
      primary key (worker, version)
    )`.execute(db)
  await keepWhatWas(db, inSchema)
}

/** The last hundred texts of each worker. */
async function keepWhatWas(
  db: Kysely<unknown>,
  inSchema: (name: string) => RawBuilder<unknown>,
): Promise<void> {
  const past = inSchema('worker_permissions_past')
  const keep = inSchema('keep_worker_permissions')
  const sequence = sql.lit('worker_permissions_version')
  await sql`
    create function ${keep}() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
      insert into ${past} (worker, version, text, updated_at, updated_by)
      values (old.worker, old.version, old.text, old.updated_at, old.updated_by)
      on conflict do nothing;
      delete from ${past} as kept where kept.worker = old.worker and kept.version < (
        select newer.version from ${past} as newer where newer.worker = old.worker
        order by newer.version desc offset 99 limit 1
      );
      if tg_op = 'DELETE' then
        return old;
      end if;
      new.version := nextval(format('%I.%I', tg_table_schema, ${sequence})::regclass);
      new.updated_at := clock_timestamp();
      return new;
    end $$`.execute(db)
  await sql`
    create trigger keep before update or delete on worker_permissions
    for each row execute function ${keep}()`.execute(db)
}
