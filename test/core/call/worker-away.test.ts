import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { resendCalls } from '../../../src/core/call/send-call.ts'
import { createSweeper, sweep } from '../../../src/core/turn/sweep.ts'
import type { ToolCallRow } from '../../../src/db/schema.ts'
import { type JobHeader, jobHeader } from '../../../src/rules/jobs/contract.ts'
import {
  type BenchContext,
  createBenchContext,
  ok,
  type SentJob,
} from '../../support/bench-context.ts'
import {
  call,
  calls,
  createScriptedModel,
  type Scripted,
  say,
  toRequest,
} from '../../support/scripted-model.ts'

const longAgo = new Date(0)
const reads = (count: number) =>
  calls(Array.from({ length: count }, () => toRequest('read', { path: 'a' })))

/** A turn whose first step was taken: what could be sent of its calls was sent. */
async function begin(...answers: readonly Scripted[]): Promise<BenchContext> {
  const bench = await createBenchContext(createScriptedModel(answers))
  await bench.say('hi')
  await bench.step()
  return bench
}

async function firstCall(bench: BenchContext): Promise<ToolCallRow> {
  const [first] = await bench.calls()
  if (first === undefined) throw new Error('no call')
  return first
}

async function away(bench: BenchContext): Promise<void> {
  await bench.database.db.updateTable('worker').set({ seen_at: longAgo }).execute()
}

/** Moves the times of open calls into the past, by the database's clock. */
async function age(bench: BenchContext, minutes: number): Promise<void> {
  await sql`
    update tool_call set queued_at = queued_at - make_interval(mins => ${minutes}),
      sent_at = sent_at - make_interval(mins => ${minutes})`.execute(bench.database.db)
}

function lifeOf(sent: SentJob | undefined): JobHeader {
  return jobHeader.parse(JSON.parse(sent?.job.header ?? 'null'))
}

describe('a worker that is away', () => {
  test('APPR-08 PROC-02 no job is sent to nobody, and a call is not called off while its job could still begin', async () => {
    await using bench = await begin(reads(1), say('done'))
    await away(bench)
    await age(bench, 11)
    await sweep(bench.ctx, longAgo)
    // Its job was signed for 15 minutes: a worker that comes back now would begin it.
    expect((await bench.calls())[0]?.state).toBe('queued')
    expect(bench.jobs).toHaveLength(1)
    await age(bench, 6)
    await sweep(bench.ctx, longAgo)
    // No replica was alive after it was queued, so none can have begun it.
    expect((await bench.calls())[0]).toMatchObject({
      state: 'cancelled',
      result: expect.stringContaining('went away before it began'),
    })
    const session = await bench.database.db
      .selectFrom('session')
      .select('calls_used')
      .executeTakeFirstOrThrow()
    expect(session.calls_used).toBe(0)
  })

  test('APPR-08 INT-14 a call that a replica may have begun without a word is interrupted: nothing is refunded, and a late end is told', async () => {
    await using bench = await begin(reads(1), say('done'))
    await age(bench, 17)
    // It was alive a minute after the job was sent.
    await bench.database.db
      .updateTable('worker')
      .set({ seen_at: sql`now() - interval '16 minutes'` })
      .execute()
    await sweep(bench.ctx, longAgo)
    const call = await firstCall(bench)
    expect(call.state).toBe('interrupted')
    await bench.hello()
    await bench.result(call, ok)
    expect((await bench.notices()).join()).toMatch(/Call 1 \(read\).*interrupted.*finish/)
    const session = await bench.database.db
      .selectFrom('session')
      .select('calls_used')
      .executeTakeFirstOrThrow()
    expect(session.calls_used).toBe(1)
  })

  test('APPR-08 a worker that comes back gets the job again at once', async () => {
    await using bench = await begin(reads(1), say('done'))
    await away(bench)
    await age(bench, 3)
    await sweep(bench.ctx, longAgo)
    expect(bench.jobs).toHaveLength(1)
    await bench.hello()
    await sweep(bench.ctx, longAgo)
    expect(bench.jobs).toHaveLength(2)
  })

  test('POL-06 DECISION-15 a copy is good for no longer than the first job was: past that the call goes through the gate again', async () => {
    await using bench = await begin(reads(1), say('done'))
    const before = lifeOf(bench.jobs[0])
    await age(bench, 14)
    await sweep(bench.ctx, longAgo)
    const copy = lifeOf(bench.jobs[1])
    expect(copy.attempt).toBe(1)
    // Signed 14 minutes ago, by the clock of the database; the test itself took a while.
    expect(before.exp - copy.exp).toBeGreaterThan(13 * 60)
    expect(copy.exp - copy.iat).toBe(before.exp - before.iat)
    await age(bench, 3)
    await bench.hello()
    await sweep(bench.ctx, longAgo)
    expect(bench.jobs).toHaveLength(3)
    expect(lifeOf(bench.jobs[2]).exp + 60).toBeLessThan(Date.now() / 1000)
    bench.rules.text = '{"*": "ask", "read": "deny"}'
    const row = await firstCall(bench)
    await bench.result(row, { kind: 'refused', why: 'it has expired' })
    await bench.step()
    expect(bench.jobs).toHaveLength(3)
    expect((await bench.calls())[0]).toMatchObject({
      state: 'denied',
      error_category: 'policy_blocked',
    })
  })

  test('LOOP-14 INT-11 a call that is being cancelled ends too when its worker is gone, and holds up no later turn', async () => {
    await using bench = await begin(
      call('write', { path: 'a', content: 'x' }),
      call('write', { path: 'b', content: 'y' }),
      say('done'),
    )
    const first = await firstCall(bench)
    await bench.started(first)
    await bench.say('/stop')
    await bench.say('again')
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual(['running', 'allowed'])
    await away(bench)
    await sweep(bench.ctx, longAgo)
    expect((await bench.calls())[0]?.state).toBe('interrupted')
    // Another replica, which has not begun it.
    await bench.database.db
      .updateTable('tool_call')
      .set({ replica: 'gone' })
      .where('id', '=', first.id)
      .execute()
    await bench.hello()
    await bench.step()
    expect((await bench.calls())[1]?.state).toBe('queued')
  })

  test('REL-01 DECISION-2 a call whose replica was not heard of may still run: it is said so, cancelled when the replica is back, and nothing runs beside it', async () => {
    await using bench = await begin(
      call('write', { path: 'a', content: 'x' }),
      call('write', { path: 'a', content: 'y' }),
      say('done'),
    )
    const first = await firstCall(bench)
    await bench.started(first)
    await sql`update worker set seen_at = now() - interval '1 minute'`.execute(bench.database.db)
    await sweep(bench.ctx, longAgo)
    expect((await bench.calls())[0]).toMatchObject({
      state: 'interrupted',
      result: expect.stringMatching(/may still run, and was not run again/),
    })
    expect(bench.cancels).toEqual([])
    await bench.hello()
    await bench.step()
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual(['interrupted', 'allowed'])
    await sweep(bench.ctx, longAgo)
    expect(bench.cancels).toHaveLength(1)
    const due = bench.due.length
    await bench.result(first, {
      kind: 'failed',
      error: { category: 'cancelled', message: 'the call was stopped' },
    })
    expect(bench.due.length).toBe(due + 1)
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual(['interrupted', 'queued'])
    await sweep(bench.ctx, longAgo)
    expect(bench.cancels).toHaveLength(1)
  })

  test('REL-01 a replica that does not come back for ten minutes holds up nothing', async () => {
    await using bench = await begin(call('write', { path: 'a', content: 'x' }), say('done'))
    const first = await firstCall(bench)
    await bench.started(first)
    await away(bench)
    await sweep(bench.ctx, longAgo)
    await sweep(bench.ctx, longAgo)
    await bench.hello()
    await sweep(bench.ctx, longAgo)
    expect(bench.cancels).toEqual([])
  })

  test('INT-10 DECISION-2 a waiting turn is woken when the mutating call of a stopped one settles', async () => {
    await using bench = await begin(
      call('write', { path: 'a', content: 'x' }),
      call('bash', { command: 'true' }),
      say('done'),
    )
    await bench.say('/stop')
    await bench.say('again')
    await bench.step()
    await bench.say('/approve')
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual(['queued', 'allowed'])
    const first = await firstCall(bench)
    const told = bench.due.length
    await bench.result(first, ok)
    expect(bench.due.length).toBe(told + 1)
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual(['succeeded', 'queued'])
  })

  test('REL-03 a call that runs long is sent again less and less often', async () => {
    await using bench = await begin(reads(1))
    for (let second = 0; second < 600; second += 1) {
      await sql`update tool_call set sent_at = sent_at - make_interval(secs => 1)`.execute(
        bench.database.db,
      )
      if (second % 5 === 0) await sweep(bench.ctx, longAgo)
    }
    expect(bench.jobs.length).toBeGreaterThan(5)
    expect(bench.jobs.length).toBeLessThan(20)
  }, 60_000)

  test('REL-03 a call that waits for a busy worker lies in its queue a few times, however long it waits', async () => {
    await using bench = await begin(reads(1))
    for (let minute = 0; minute < 60; minute += 1) {
      await age(bench, 1)
      await bench.hello()
      await sweep(bench.ctx, longAgo)
    }
    expect(bench.jobs.length).toBeGreaterThan(50)
    expect(new Set(bench.jobs.map(({ id }) => id)).size).toBeLessThan(6)
  }, 60_000)

  test('INT-33 a queue that is away makes no call count as sent, and one that cannot be sent holds up no other', async () => {
    await using bench = await begin(reads(2))
    await age(bench, 1)
    const { signals } = bench.ctx
    let asked = 0
    const pass = async () => {
      asked += 1
      return false
    }
    const before = bench.jobs.length
    await createSweeper({ ...bench.ctx, signals: { ...signals, pass } })()
    expect({ asked, jobs: bench.jobs.length }).toEqual({ asked: 1, jobs: before })
    const [first] = await bench.calls()
    const refusing = {
      ...signals,
      sendJob: (queue: string, id: string, data: unknown) =>
        id.includes(first?.id ?? 'none')
          ? Promise.reject(new Error('refused'))
          : signals.sendJob(queue, id, data),
    }
    await resendCalls({ ...bench.ctx, signals: refusing })
    expect(bench.jobs.length).toBe(before + 1)
  })

  test('INT-11 a result that overtakes or follows the farewell of its replica still counts', async () => {
    await using bench = await begin(reads(1), say('done'))
    const reading = await firstCall(bench)
    await bench.bye()
    await bench.result(reading, ok)
    expect((await bench.calls())[0]?.state).toBe('succeeded')
  })

  test('APPR-08 INT-37 an approval given while the worker is away holds: it is not asked twice', async () => {
    await using bench = await begin(call('bash', { command: 'true' }), say('done'))
    await bench.bye()
    await bench.say('/approve')
    await bench.step()
    const states = await bench.database.db.selectFrom('approval').select('state').execute()
    expect(states).toEqual([{ state: 'approved' }])
    expect((await bench.calls())[0]?.state).toBe('queued')
  })

  test('THREAT-5 a worker settles its own calls only', async () => {
    await using bench = await begin(reads(1), say('done'))
    await bench.database.db.updateTable('tool_call').set({ worker: 'another' }).execute()
    const reading = await firstCall(bench)
    await bench.started(reading)
    await bench.result(reading, ok)
    expect((await bench.calls())[0]?.state).toBe('queued')
    const kinds = await bench.database.db
      .selectFrom('audit_log')
      .select('kind')
      .where('chain', '=', 'system')
      .execute()
    expect(kinds).toEqual([{ kind: 'dropped_result' }, { kind: 'dropped_result' }])
  })
})
