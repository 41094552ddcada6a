import { type Kysely, sql } from 'kysely'

/** Agents and workers that are running, permissions of workers, and trust in tools and models. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [
    agent,
    worker,
    workerPermissions,
    workerPermissionsPast,
    toolTrust,
    toolOutcome,
    toolIncident,
    modelStanding,
  ]) {
    await statements.execute(db)
  }
  await keepPastPermissions(db)
}

const agent = sql`
  create table agent (
    id uuid primary key,
    model text not null,
    warnings text not null,
    live_key text not null,
    seen_at timestamptz not null default now(),
    host text,
    rules_worker text,
    rules_path text,
    rules_sha256 text,
    rules_since timestamptz,
    models text not null default '[]'
  )`

const worker = sql`
  create table worker (
    name text not null,
    replica text not null,
    driver text not null,
    confined boolean not null,
    warnings text not null,
    box_workspace text not null,
    tools text not null,
    public_key text not null,
    seen_at timestamptz not null default now(),
    beat bigint not null default 0,
    said_at timestamptz,
    primary key (name, replica)
  )`

/** A version is never used twice, not even by a row that was removed and made again. */
const workerPermissions = sql`
  create sequence worker_permissions_version;
  create table worker_permissions (
    worker text primary key check (worker ~ '^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$'),
    text text not null check (char_length(text) <= 1000000),
    version bigint not null default nextval('worker_permissions_version'),
    updated_at timestamptz not null default now(),
    updated_by text
  )`

const workerPermissionsPast = sql`
  create table worker_permissions_past (
    worker text not null,
    version bigint not null,
    text text not null,
    updated_at timestamptz not null,
    updated_by text,
    primary key (worker, version)
  )`

const toolTrust = sql`
  create table tool_trust (
    tool text primary key,
    level text not null check (level in ('trusted', 'verified', 'quarantined', 'blocked')),
    set_by text not null,
    reason text,
    set_at timestamptz not null default now()
  )`

const toolOutcome = sql`
  create table tool_outcome (
    id bigint generated always as identity,
    tool text not null,
    failed boolean not null,
    primary key (tool, id)
  )`

const toolIncident = sql`
  create table tool_incident (
    tool text primary key,
    failed integer not null,
    executions integer not null,
    began_at timestamptz not null default now()
  )`

const modelStanding = sql`
  create table model_standing (
    model text not null,
    tool text not null,
    part smallint not null,
    successes bigint not null default 0,
    quality_failures bigint not null default 0,
    last_category text,
    last_failure_at timestamptz,
    primary key (model, tool, part)
  )`

/** Any change of a row, by hand too, makes a new version and keeps the text before it: the last hundred of each worker. */
async function keepPastPermissions(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  const inSchema = (name: string) => sql.id(rows[0]?.schema ?? 'public', name)
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
