import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { auditRows, firstAuditRow } from '../../support/audit-rows.ts'
import { type BenchContext, createBenchContext, eve } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const longAgo = new Date(0)
const first = 'a'.repeat(64)
const second = 'b'.repeat(64)

async function approvals(bench: BenchContext) {
  return bench.database.db.selectFrom('approval').selectAll().orderBy('number').execute()
}

async function onlyCall(bench: BenchContext) {
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  return row
}

/** A write that was shown, approved and sent, whose file has changed meanwhile. */
async function changedSinceApproved(): Promise<BenchContext> {
  const bench = await createBenchContext(
    createScriptedModel([call('write', { path: 'a.txt', content: 'x' }), say('done')]),
  )
  bench.rules.text = '{"*": "ask"}'
  await bench.say('hi')
  await bench.step()
  await bench.result(await onlyCall(bench), { kind: 'preview', diff: '+old', baseSha256: first }, 1)
  await bench.say('/approve')
  await bench.step()
  await bench.result(await onlyCall(bench), { kind: 'changed', path: '/workspace/a.txt' })
  await bench.step()
  return bench
}

describe('a question that was replaced', () => {
  test('APPR-05 APPR-13 its card says so, and a late tap on it changes nothing', async () => {
    await using bench = await changedSinceApproved()
    const [old] = await approvals(bench)
    expect(old?.state).toBe('superseded')
    expect(JSON.parse(old?.card ?? '').status).toMatchObject({ kind: 'cancelled' })
    await bench.say('/approve 1')
    expect((await bench.notices()).at(-1)).toContain('replaced by a newer one')
    expect((await approvals(bench))[1]?.state).toBe('pending')
  })

  test('GATE-07 a late diff of the first question is not taken for the second one’s', async () => {
    await using bench = await changedSinceApproved()
    const row = await onlyCall(bench)
    await bench.result(row, { kind: 'preview', diff: '+old', baseSha256: first }, 1)
    expect((await onlyCall(bench)).base_sha256).toBeNull()
    await bench.result(row, { kind: 'preview', diff: '+new', baseSha256: second }, 2)
    expect((await onlyCall(bench)).base_sha256).toBe(second)
    const header = JSON.parse(bench.jobs.at(-1)?.job.header ?? '')
    expect(header).toMatchObject({ type: 'preview', attempt: 2 })
  })

  test('APPR-02 the diff of a second question gets as long to come as that of a first', async () => {
    await using bench = await changedSinceApproved()
    const { db } = bench.database
    await sql`update approval set created_at = ${longAgo} where number = 1`.execute(db)
    await sql`update tool_call set created_at = ${longAgo}`.execute(db)
    await sweep(bench.ctx, longAgo)
    expect((await onlyCall(bench)).preview).toBe('wanted')
    await sql`update approval set created_at = ${longAgo}`.execute(db)
    await sweep(bench.ctx, longAgo)
    expect((await onlyCall(bench)).preview).toBe('done')
  })

  test('APPR-24 a card whose programs nobody could look at goes out all the same, and says so', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: './a.sh' }), say('done')]),
    )
    await bench.say('hi')
    await bench.step()
    const header = JSON.parse(bench.jobs.at(-1)?.job.header ?? '')
    expect(header).toMatchObject({ type: 'preview', programs: [expect.stringMatching(/\/a\.sh$/)] })
    expect((await approvals(bench))[0]?.card_outbox_id).toBeNull()
    await sql`update approval set created_at = ${longAgo}`.execute(bench.database.db)
    await sweep(bench.ctx, longAgo)
    const [approval] = await approvals(bench)
    expect(approval?.card_outbox_id).not.toBeNull()
    expect(JSON.parse(approval?.card ?? '').reasons.join('\n')).toContain('could not be checked')
    await bench.say('/approve')
    await bench.step()
    const run = JSON.parse(bench.jobs.at(-1)?.job.header ?? '')
    expect(run).toMatchObject({ type: 'run', tool: 'bash' })
    expect(run.programs).toBeUndefined()
  })

  test('INT-37 a card approved for a confined box says that it was replaced when the box is none any more', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'true' })]),
    )
    await bench.say('hi')
    await bench.step()
    await bench.say('/approve')
    await bench.hello(false)
    await bench.step()
    const [old, fresh] = await approvals(bench)
    expect([old?.state, fresh?.state]).toEqual(['superseded', 'pending'])
    expect(JSON.parse(old?.card ?? '').status).toMatchObject({ kind: 'cancelled' })
  })
})

describe('an approval that was overruled', () => {
  test('POL-06 APPR-13 the card of an approved call that a rule forbids now does not go on saying "approved"', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'true' }), say('done')]),
    )
    await bench.say('hi')
    await bench.step()
    await bench.say('/approve')
    bench.rules.text = '{"*": "ask", "bash": {"*": "ask", "true": "deny"}}'
    await bench.step()
    const [approval] = await approvals(bench)
    expect(JSON.parse(approval?.card ?? '').status.kind).toBe('cancelled')
  })
})

test('APPR-08 the card names the very moment at which the question expires, by the database’s clock', async () => {
  await using bench = await createBenchContext(
    createScriptedModel([call('bash', { command: 'true' })]),
  )
  await bench.say('hi')
  await bench.step()
  const [approval] = await approvals(bench)
  expect(JSON.parse(approval?.card ?? '').expiresAt).toBe(approval?.expires_at.toISOString())
})

test('THREAT-23 APPR-16 what a worker warns of is one line of the card, and hides nothing', async () => {
  await using bench = await createBenchContext(
    createScriptedModel([call('bash', { command: 'touch a' })]),
  )
  const warnings = JSON.stringify(['unconfined\n\nApproved by Eve\u202e', 'two'])
  const told = { warnings, confined: false, driver: 'process' } as const
  await bench.database.db.updateTable('worker').set(told).execute()
  await bench.say('hi')
  await bench.step()
  const [approval] = await approvals(bench)
  const { warning } = JSON.parse(approval?.card ?? '')
  expect(warning).toBe('unconfined Approved by Eve⟨U+202E⟩\ntwo')
  await bench.say('/status')
  expect((await bench.notices()).at(-1)).toContain('Warning: unconfined Approved by Eve⟨U+202E⟩')
})

describe('what is recorded', () => {
  test('AUD-01 an Always is recorded with the patterns it allows and who gave it', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'wc -c a' })]),
    )
    await bench.say('hi')
    await bench.step()
    await bench.say('/always', eve)
    const rows = await auditRows(bench.database.db)
    expect(rows).toMatchObject([{ kind: 'command', caller_id: eve.id, tool: 'bash' }])
    expect(JSON.parse(rows[0]?.body ?? '').note).toContain('wc *')
  })

  test('AUD-01 a late result is recorded as what it was, not as what the call had become', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('read', { path: 'a' }), say('done')]),
    )
    await bench.say('hi')
    await bench.step()
    const row = await onlyCall(bench)
    await bench.result(row, { kind: 'interrupted' })
    await bench.result(row, { kind: 'succeeded', output: 'fine' })
    const late = (await auditRows(bench.database.db)).filter((row) => row.kind === 'late_result')
    expect(late).toMatchObject([{ result: 'success' }])
    expect(JSON.parse(late[0]?.body ?? '')).toMatchObject({ attempt: 1, duration_ms: 5 })
  })

  test('AUD-01 AUD-05 the decided row holds the judgement that sent the call, with its own trace, redacted', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'deploy --token hunter2' }), say('done')]),
    )
    const ctx = {
      ...bench.ctx,
      redact: (text: string) => text.replaceAll('hunter2', '[redacted]'),
    }
    await bench.say('hi')
    await bench.step(ctx)
    bench.rules.text = '{"*": "ask", "bash": {"*": "ask", "deploy *hunter2*": "allow"}}'
    await bench.say('/approve')
    await bench.step(ctx)
    const { body, verdict } = await firstAuditRow(bench.database.db)
    expect(verdict).toBe('allow')
    expect(body).toContain('deploy *[redacted]*')
    expect(body).not.toContain('hunter2')
  })

  test('AUD-01 TERM-03 a person’s own command that nobody was asked about is recorded as that', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('never')]))
    await bench.act({ kind: 'shell', command: 'true' })
    await bench.step()
    const { body } = await firstAuditRow(bench.database.db)
    expect(JSON.parse(body)).toMatchObject({ kind: 'decided', note: 'a person’s own command' })
  })
})
