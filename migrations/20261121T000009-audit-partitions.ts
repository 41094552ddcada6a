import { type Kysely, type RawBuilder, sql } from 'kysely'

/**
 * The partitions of the audit log. Functions that run with the owner's rights find nothing but PostgreSQL's own functions and what
 * they name in full, whatever others made in the schema; and a month's partition is the owner's alone, whatever default
 * privileges give away.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  const schema = rows[0]?.schema ?? 'public'
  const inSchema = (name: string) => sql.id(schema, name)
  await closePartition(db, inSchema)
  await makePartition(db, inSchema, sql.lit(schema))
  await ensurePartitions(db, inSchema, sql.lit(schema))
  await sql`revoke execute on function make_audit_partition(timestamp) from public`.execute(db)
  await sql`select ensure_audit_partitions()`.execute(db)
}

type InSchema = (name: string) => RawBuilder<unknown>

/** No schema in which anybody but the server's owner makes functions. */
const path = sql`pg_catalog, pg_temp`

/** Takes every right on a partition from everybody but its owner. */
async function closePartition(db: Kysely<unknown>, inSchema: InSchema): Promise<void> {
  const name = inSchema('close_audit_partition')
  await sql`
    create function ${name}(partition regclass) returns void
    language plpgsql set search_path = ${path} as $$
    declare
      grantee text;
    begin
      for grantee in
        select distinct case when given.grantee = 0 then 'public' else given.grantee::regrole::text end
        from pg_class, aclexplode(relacl) given
        where oid = partition and given.grantee <> relowner
      loop
        execute format('revoke all on %s from %s cascade', partition, grantee);
      end loop;
    end $$`.execute(db)
  await sql`revoke execute on function ${name}(regclass) from public`.execute(db)
}

/** The month's rows that wait in the default partition go along. */
async function makePartition(
  db: Kysely<unknown>,
  inSchema: InSchema,
  schema: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    create function ${inSchema('make_audit_partition')}(month timestamp) returns void
    language plpgsql set search_path = ${path} as $$
    declare
      name text := format('%I.%I', ${schema}, 'audit_log_' || to_char(month, 'YYYY_MM'));
      first timestamptz := month at time zone 'UTC';
      beyond timestamptz := (month + interval '1 month') at time zone 'UTC';
    begin
      execute format('create table %s (like ${inSchema('audit_log')} including defaults)', name);
      execute format('alter table %s set (autovacuum_vacuum_insert_scale_factor = 0.05,
        autovacuum_analyze_scale_factor = 0.05)', name);
      perform ${inSchema('close_audit_partition')}(name::regclass);
      if exists (select from ${inSchema('audit_log_default')} where at >= first and at < beyond) then
        alter table ${inSchema('audit_log_default')} disable trigger user;
        execute format('with moved as (
            delete from ${inSchema('audit_log_default')} where at >= $1 and at < $2 returning *
          ) insert into %s select * from moved', name) using first, beyond;
        alter table ${inSchema('audit_log_default')} enable trigger user;
      end if;
      execute format('create trigger append_only before update or delete or truncate on %s
        for each statement execute function ${inSchema('refuse_change')}()', name);
      execute format('alter table ${inSchema('audit_log')} attach partition %s
        for values from (%L) to (%L)', name, first, beyond);
    end $$`.execute(db)
}

/**
 * Made with the owner's rights whoever calls it, since it can do nothing but this. Rows whose time cannot be true stay where
 * they are: a month each would be made for them, on and on.
 */
async function ensurePartitions(
  db: Kysely<unknown>,
  inSchema: InSchema,
  schema: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    create function ${inSchema('ensure_audit_partitions')}() returns integer
    language plpgsql security definer set search_path = ${path} as $$
    declare
      months timestamp[];
      wanted timestamp;
      made integer := 0;
    begin
      perform pg_advisory_xact_lock(hashtext('audit partitions')::bigint);
      months := array(
        select date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead)
        from generate_series(0, 3) ahead
        union
        select date_trunc('month', at at time zone 'UTC') from ${inSchema('audit_log_default')}
        where at > now() - interval '5 years' and at < now() + interval '3 months'
        order by 1
      );
      foreach wanted in array months loop
        continue when to_regclass(
          format('%I.%I', ${schema}, 'audit_log_' || to_char(wanted, 'YYYY_MM'))
        ) is not null;
        perform ${inSchema('make_audit_partition')}(wanted);
        made := made + 1;
      end loop;
      return made;
    end $$`.execute(db)
}
