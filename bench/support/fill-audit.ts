import type { Pool } from 'pg'

/** A call has two rows; a session has forty calls, a hundred sessions go on at once; one person in 200 does a sixth of it all. */
const sessionCalls = 40
const atOnce = 100
const people = 200
const conversations = 2_000
const days = 365

/**
 * Fills an empty audit with so many rows over the twelve months up to now, in SQL: sizes, shares and order are those of
 * real ones, hashes are not. As the owner of the server.
 */
export async function fillAudit(pool: Pool, rows: number): Promise<void> {
  const calls = Math.floor(rows / 2)
  const client = await pool.connect()
  const run = (text: string): Promise<unknown> => client.query(text)
  try {
    await run(`set session_replication_role = replica; set synchronous_commit = off;
      set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 2`)
    await run(`select make_audit_partition(month) from (
      select date_trunc('month', now() at time zone 'UTC') - make_interval(months => ago) as month
      from generate_series(1, 12) ago) months`)
    await run(unlogged)
    const indexes = await dropIndexes(run, client)
    await run(`create unlogged table bench_call as ${drawnCalls(calls)}`)
    await run(audited('decided'))
    await run(audited('settled'))
    await run(others)
    await run(surroundings(calls))
    for (const text of indexes) await run(text)
    await run('drop table bench_call')
  } finally {
    client.release(true)
  }
  await pool.query('vacuum (analyze)')
}

/** Past months need not be in the write-ahead log: it makes writing them cheaper, reading them is the same. */
const unlogged = `
  do $$ declare past regclass; begin
    for past in select inhrelid from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'audit_log'::regclass and relname < to_char(now() at time zone 'UTC', '"audit_log_"YYYY_MM')
    loop
      execute format('alter table %s set unlogged', past);
    end loop;
  end $$`

/** Building them at the end takes a fraction of the time; answers how to. */
async function dropIndexes(
  run: (text: string) => Promise<unknown>,
  client: { query(text: string): Promise<{ rows: { drop: string; make: string }[] }> },
): Promise<readonly string[]> {
  const { rows } = await client.query(`
    select format('alter table audit_log drop constraint %I', conname) as drop,
      format('alter table audit_log add constraint %I %s', conname, pg_get_constraintdef(oid)) as make
    from pg_constraint where conrelid = 'audit_log'::regclass and contype in ('p', 'u')
    union all
    select format('drop index %s', indexrelid::regclass),
      replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
    from pg_index where indrelid = 'audit_log'::regclass and not exists (
      select from pg_constraint where conindid = indexrelid)`)
  for (const { drop } of rows) await run(drop)
  return rows.map(({ make }) => make)
}

/** Numbers from 0 to 1 that look like chance and are the same each time. */
function share(of: string, salt: string): string {
  return `((hashtextextended(${of}::text, ${salt.length}) & 1048575) / 1048576.0)`
}

function drawnCalls(calls: number): string {
  const block = sessionCalls * atOnce
  return `
    select n, session, place, at, at + ended_ms * interval '1 ms' as ended_at, ended_ms,
      'telegram:' || (floor(${people} * power(${share('session', 'who')}, 3)) + 1) as caller,
      (array['bash','bash','bash','bash','read','read','grep','edit','write','list_directory',
        'bash','read','grep','edit','find_path','fetch','bash','read','create_directory','web_scrape']
      )[1 + floor(20 * ${share('n', 'which tool')})::int] as tool,
      case when judged < 0.08 then 'deny' when judged < 0.20 then 'ask' else 'allow' end as verdict,
      case when judged < 0.08 or judged >= 0.20 then null when answered < 0.86 then 'approved'
        when answered < 0.95 then 'denied' else 'expired' end as approval_state,
      ${share('n', 'how it ended')} as ending,
      md5('session' || session)::uuid as session_id, md5('turn' || session)::uuid as turn_id,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
        || '8' || substr(md5(n::text), 4, 15))::uuid as call_id
    from (
      select n, n / ${block} * ${atOnce} + n % ${atOnce} as session, n % ${block} / ${atOnce} as place,
        date_trunc('milliseconds', now() - interval '${days} days' + n * interval '${days} days' / ${calls}) as at,
        floor(5 * exp(6 * ${share('n', 'how long it ran')}))::int as ended_ms,
        ${share('n', 'what the gate said')} as judged, ${share('n', 'what a person said')} as answered
      from generate_series(0, ${calls - 1}) n
    ) drawn`
}

const decider = `case when approval_state <> 'expired' then 'telegram:' || (1 + n % 12) end`
const isBlocked = `(verdict = 'deny' or approval_state in ('denied', 'expired'))`
const result = `case when ${isBlocked} then 'blocked' when ending < 0.90 then 'success'
  when ending < 0.96 then 'error' when ending < 0.98 then 'timeout'
  when ending < 0.985 then 'interrupted' else 'cancelled' end`
const errorCategory = `case when ${isBlocked} then 'policy_blocked' when ending < 0.90 then null
  when ending < 0.96 then 'permanent_failure' when ending < 0.98 then 'timeout' end`
const rule = `'worker: ' || tool || ' "pattern-' || (n % 40) || ' *" ' || verdict`
const askedAt = `case when approval_state is not null then at - ending * interval '10 minutes' end`
const hosts = `case when tool in ('fetch', 'web_scrape') or (tool = 'bash' and n % 13 = 0)
  then array['host-' || (n % 700) || '.example.com'] end`
const args = `case tool when 'bash' then '{"command":"cd services/billing && npm test -- --grep ' || n || ' 2>&1 | tail -n 40"}'
  when 'fetch' then '{"url":"https://host-' || (n % 700) || '.example.com/page/' || n || '"}'
  else '{"path":"services/billing/src/module-' || (n % 5000) || '/index.ts"}' end`
const identity = `'session_id', session_id, 'turn_id', turn_id, 'call_id', call_id, 'tool', tool,
  'caller_id', caller, 'worker', 'default'`

function audited(kind: 'decided' | 'settled'): string {
  const at = kind === 'decided' ? 'at' : 'ended_at'
  const own =
    kind === 'decided'
      ? `'arguments', ${args}, 'verdict', verdict, 'trace', json_build_array(json_build_object(
          'check', 'permissions', 'action', verdict, 'reason', 'rule ' || (n % 40) || ' of the worker says so',
          'rule', ${rule})),
          'approval_state', approval_state, 'decided_by', ${decider},
          'asked_at', ${askedAt}, 'answered_at', case when approval_state is not null then at end`
      : `'result', ${result}, 'exit_code', case when ending < 0.9 then 0 else 1 end, 'duration_ms', ended_ms,
          'truncated', false, 'replica', 'replica-1', 'sandbox', 'bubblewrap', 'attempt', 1`
  const columns =
    kind === 'decided'
      ? `verdict, null, case when approval_state is not null then md5('approval' || n)::uuid end,
          approval_state, ${decider}, ${askedAt}, case when approval_state is not null then at end, null, null,
          'permissions', ${rule}, ${hosts}`
      : `null, ${result}, null, null, null, null, null, ${errorCategory}, ended_ms, null, null, null`
  return `insert into audit_log (chain, seq, previous_hash, hash, at, kind, session_id, turn_id, call_id,
      tool, caller_id, verdict, result, approval_id, approval_state, decided_by, asked_at, answered_at,
      error_category, duration_ms, said_by, rule, hosts, body)
    select session_id, place * 2 + ${kind === 'decided' ? 1 : 2},
      md5(n::text) || md5('a' || n), md5('b' || n) || md5('c' || n), ${at}, '${kind}',
      session_id, turn_id, call_id, tool, caller, ${columns},
      json_strip_nulls(json_build_object('kind', '${kind}', 'at', ${at}, 'chain', session_id, ${identity}, ${own}))::text
    from bench_call order by ${at}`
}

const others = `
  insert into audit_log (chain, seq, previous_hash, hash, at, kind, caller_id, body)
  select 'system', n, '', md5(n::text), now() - n * interval '${days} days' / 5000,
    case when n % 20 = 0 then 'dropped_result' else 'command' end, 'telegram:' || (n % 12),
    json_build_object('kind', 'command', 'note', 'a pairing code was made')::text
  from generate_series(1, 5000) n`

/** The rows that views join. */
function surroundings(calls: number): string {
  const sessions = Math.ceil(calls / sessionCalls / atOnce) * atOnce
  return `
    insert into conversation (id, platform, external_id)
      select md5('conversation' || n)::uuid, 'telegram', n::text from generate_series(0, ${conversations - 1}) n;
    insert into session (id, conversation_id, worker, state)
      select md5('session' || n)::uuid, md5('conversation' || n % ${conversations})::uuid, 'default', 'closed'
      from generate_series(0, ${sessions - 1}) n;
    insert into caller (id, name, role)
      select 'telegram:' || n, 'Person ' || n, 'user' from generate_series(1, ${people}) n;
    insert into audit_head (chain, seq, hash, checked_seq)
      select md5('session' || n)::uuid, ${sessionCalls * 2}, md5(n::text), ${sessionCalls * 2} from generate_series(0, ${sessions - 1}) n;
    insert into approval (id, call_id, turn_id, session_id, conversation_id, number, caller_id, tool,
      arguments_sha256, confined, risk, always_patterns, card, state, decided_by, decided_at, expires_at, created_at)
      select md5('approval' || n)::uuid, call_id, turn_id, session_id, md5('conversation' || session % ${conversations})::uuid,
        n, caller, tool, md5(n::text), true, 'medium', '[]', '{"title":"bash","lines":["npm test"]}', approval_state,
        ${decider}, at, at + interval '1 day', ${askedAt}
      from bench_call where approval_state is not null`
}
