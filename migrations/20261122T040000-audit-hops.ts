import { type Kysely, sql } from 'kysely'

/** WEB-07: where calls went in fact, beside where their arguments said. The hour and the month as in the views before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view audit_egress as
    select d.at, d.caller_id, d.tool, d.hosts, audit_body(d.body) ->> 'arguments' as arguments,
      d.verdict, d.decided_by,
      (
        select s.result from audit_log s
        where s.call_id = d.call_id and s.kind = 'settled'
          and s.at between d.at - interval '1 hour' and d.at + interval '31 days'
        order by s.at, s.id limit 1
      ) as result,
      d.session_id, d.turn_id, d.call_id,
      (
        select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
          'at', h.at, 'method', b -> 'method', 'url', b -> 'url', 'address', b -> 'address',
          'status', b -> 'status', 'bytes', b -> 'bytes', 'blocked', b -> 'blocked',
          'error', b -> 'error'
        )) order by h.at, h.id)
        from audit_log h cross join lateral (select audit_body(h.body) as b offset 0) body
        where h.call_id = d.call_id and h.kind = 'hop'
          and h.at between d.at - interval '1 hour' and d.at + interval '31 days'
      ) as hops
    from audit_log d
    where d.kind = 'decided' and d.verdict <> 'deny' and d.hosts is not null`.execute(db)
  const meaning =
    'what a web tool asked for, in order: url, method, address, status, bytes, and why one was blocked or failed'
  await sql`comment on column audit_egress.hops is ${sql.lit(meaning)}`.execute(db)
}
