import { type Kysely, sql } from 'kysely'

/** What each table and view of the audit holds, column by column, where clients of PostgreSQL show it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [relation, [about, columns]] of Object.entries(meanings)) {
    const kind = sql.raw(relation === 'audit_log' || relation === 'audit_cut' ? 'table' : 'view')
    await sql`comment on ${kind} ${sql.table(relation)} is ${sql.lit(about)}`.execute(db)
    for (const column of await columnsOf(db, relation)) {
      const meaning = columns[column]
      if (meaning === undefined) throw new Error(`${relation}.${column} is not explained`)
      await sql`comment on column ${sql.ref(`${relation}.${column}`)} is ${sql.lit(meaning)}`.execute(
        db,
      )
    }
  }
}

async function columnsOf(db: Kysely<unknown>, relation: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${relation}::regclass and attnum > 0`.execute(db)
  return rows.map(({ name }) => name)
}

const call = {
  session_id: 'the session',
  turn_id: 'the turn',
  call_id: 'the tool call',
  caller_id: 'whose turn it was',
  tool: 'the tool',
  arguments: 'what it was called with, secrets redacted',
}

const meanings: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>]>> = {
  audit_log: [
    'Every tool call: append-only, chained',
    {
      id: 'the number of the row; not without gaps',
      chain: 'the hash chain: the session, or system',
      seq: 'the place in its chain, from 1 on without gaps',
      previous_hash: 'the hash of the row before it in its chain; empty for the first',
      hash: 'SHA-256 of previous_hash, chain, seq and body, a line each',
      at: 'when, by the clock of the database',
      kind: 'decided, settled, late_result, dropped_result or command',
      session_id: 'the session',
      turn_id: 'the turn',
      call_id: 'the tool call',
      tool: 'the tool that was called',
      caller_id: 'whose turn it was',
      verdict: 'what the gate said last: allow, ask or deny',
      result: 'success, blocked, error, timeout, cancelled or interrupted',
      approval_id: 'the approval that was asked for',
      approval_state: 'how the approval ended',
      decided_by: 'who answered it',
      asked_at: 'when it was asked for',
      answered_at: 'when it was answered',
      error_category: 'why there is no ordinary result',
      duration_ms: 'how long it ran',
      said_by: 'the check of the gate that decided',
      rule: 'the rule by which it did',
      hosts: 'where it may reach over the network; empty: not told by its arguments; null: nowhere',
      body: 'the row as JSON: the text that was hashed; use audit_body(body) to look into it',
    },
  ],
  audit_cut: [
    'What retention dropped',
    {
      id: 'the number of the row',
      at: 'when rows were dropped',
      body: 'up to when, how many rows, and the last dropped row of each chain: the text that was signed',
      kid: 'the key that signed it',
      signature: 'Ed25519 over body, base64',
    },
  ],
  audit_calls: [
    'A row a tool call: what was decided last, and how it ended',
    {
      ...call,
      at: 'when it was decided',
      verdict: 'what the gate said last: allow, ask or deny',
      result: 'success, blocked, error, timeout, cancelled or interrupted; null: it has not ended',
      exit_code: 'of a command',
      duration_ms: 'how long it ran',
      error_category: 'why there is no ordinary result',
      truncated: 'whether its output was cut',
      cached: 'whether the result was remembered instead of made',
      ended_at: 'when it ended',
      approval_id: 'the approval that was asked for',
      approval_state: 'how the approval ended',
      decided_by: 'who answered it',
      asked_at: 'when it was asked for',
      answered_at: 'when it was answered',
      said_by: 'the check of the gate that decided',
      rule: 'the rule by which it did',
      policy_match: 'the policy rule that matched',
      trace: 'every check that spoke: check, action, reason, rule',
      hosts: 'where it may reach; empty: not told by its arguments; null: nowhere',
      worker: 'the worker it was sent to',
      replica: 'which of its replicas ran it',
      sandbox: 'what kept it in',
      attempt: 'which attempt the decision was about',
      envelope: 'stdout, stderr and exit code, redacted; gone with the session',
      note: 'a remark of the program',
      platform: 'where the conversation is: console, telegram, slack',
      conversation: 'the conversation, as its platform names it',
    },
  ],
  audit_approvals: [
    'A row a call that needed an approval which was answered or ran out',
    {
      ...call,
      at: 'when the answer was acted on',
      asked_at: 'when it was asked for',
      answered_at: 'when it was answered',
      time_to_decision: 'from one to the other',
      state: 'approved, denied, expired, cancelled, granted or superseded',
      decided_by: 'who answered it',
      reason: 'what they said',
      risk: 'low, medium or high, as the card showed',
      approval_id: 'the approval',
    },
  ],
  audit_waiting: [
    'A row an approval that is open',
    {
      ...call,
      asked_at: 'when it was asked for',
      waiting: 'since then',
      expires_at: 'when it runs out',
      risk: 'low, medium or high, as the card shows',
      platform: 'where the conversation is: console, telegram, slack',
      conversation: 'the conversation, as its platform names it',
      approval_id: 'the approval',
    },
  ],
  audit_denials: [
    'A row a call that the gate or a person refused, or that nobody answered in time',
    {
      ...call,
      at: 'when',
      denied_by: 'gate, time, or the person',
      said_by: 'the check of the gate that refused it',
      reason: 'why, in words',
      rule: 'the rule that decided',
      policy_match: 'the policy rule that matched',
      approval_id: 'the approval, where one was asked for',
    },
  ],
  audit_by_caller: [
    'A row a person and UTC day with calls that ended; say which days, and only those are read',
    {
      day: 'the day, UTC',
      caller_id: 'whose turns they were',
      name: 'as the platform last named them',
      calls: 'calls that ended that day',
      succeeded: 'of them, with an ordinary result',
      failed: 'with an error, out of time or interrupted',
      blocked: 'refused by the gate or a person',
      cancelled: 'called off',
      last_at: 'when the last one ended',
    },
  ],
  audit_egress: [
    'A row a call that was let through and may reach the network',
    {
      ...call,
      at: 'when it was decided',
      hosts: 'where to; empty: not told by its arguments',
      verdict: 'what the gate said: allow, or ask and a person agreed',
      decided_by: 'who agreed',
      result: 'how it ended',
      hops: 'what a web tool asked for, in order: url, method, address, status, bytes, and why one was blocked or failed',
    },
  ],
  tool_health: [
    'A row a tool that was called within three days',
    {
      tool: 'the tool',
      calls: 'calls that ended',
      failures: 'of them, with an error, out of time or interrupted',
      failure_percent: 'the same as a share',
      timeouts: 'of them, out of time',
      p50_ms: 'what half of them took at most',
      p95_ms: 'what all but one in twenty took at most',
      last_failure: 'when the last one failed',
      usual_error: 'the most frequent error category',
    },
  ],
  audit_questions: [
    'A row a UTC day: how many calls asked a person, and how long people took; say which days, and only those are read',
    {
      day: 'the day, UTC',
      calls: 'decisions of the gate that day',
      questions: 'of them, those that needed a person',
      approved: 'questions that were approved',
      denied: 'that were denied',
      expired: 'that nobody answered in time',
      median_wait: 'what half of the answers took at most, from question to answer',
      p90_wait: 'what nine in ten of them took at most',
    },
  ],
  audit_approved: [
    'A row a UTC day and call that people approved; say which days, and only those are read',
    {
      day: 'the day, UTC',
      tool: 'the tool',
      arguments: 'what it was called with, secrets redacted',
      approvals: 'how often it was approved',
      people: 'by whom',
      last_at: 'when last',
    },
  ],
}
