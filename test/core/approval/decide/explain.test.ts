import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { decide, decideLocked } from '../../../../src/core/approval/decide/decide.ts'
import { explain } from '../../../../src/core/approval/decide/give-reason.ts'
import type { Decided } from '../../../../src/core/approval/decide/settle-decision.ts'
import { handleInbox } from '../../../../src/core/inbox/handle.ts'
import { receive } from '../../../../src/core/inbox/store-event.ts'
import { transact } from '../../../../src/core/transaction.ts'
import { failTurn } from '../../../../src/core/turn/end-turn.ts'
import { sweep } from '../../../../src/core/turn/sweep.ts'
import { addCardCopy } from '../../../../src/db/approval/card-copies.ts'
import { findExplaining } from '../../../../src/db/approval/due-approvals.ts'
import type { ApprovalRow } from '../../../../src/db/schema.ts'
import { expireAllLeases } from '../../../../src/db/turn/lost-turns.ts'
import type { Caller } from '../../../../src/domain/caller.ts'
import {
  ada,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  showCards,
} from '../../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../../support/scripted-model.ts'

type TextBody = { readonly kind: 'message'; readonly text: string; readonly replyTo?: string }

const longAgo = new Date(0)
const tap = { kind: 'deny', mayExplain: true } as const
const command = (text = 'true') => toRequest('bash', { command: text })
const asking = (...requests: ReturnType<typeof command>[]) =>
  createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user' ? calls(requests) : say('done'),
  )

async function approvals(bench: BenchContext): Promise<ApprovalRow[]> {
  return bench.database.db.selectFrom('approval').selectAll().orderBy('number').execute()
}

async function approval(bench: BenchContext, number = 1): Promise<ApprovalRow> {
  const found = (await approvals(bench)).find((row) => row.number === number)
  if (found === undefined) throw new Error(`no question ${number}`)
  return found
}

async function statusOf(bench: BenchContext, number = 1) {
  return JSON.parse((await approval(bench, number)).card).status
}

/** Ada's turn asks, and she taps Deny. */
async function denied(...requests: ReturnType<typeof command>[]): Promise<BenchContext> {
  const bench = await createBenchContext(
    asking(...(requests.length === 0 ? [command()] : requests)),
  )
  await bench.say('hi')
  await bench.step()
  await decide(bench.ctx, (await approval(bench)).id, ada, tap)
  return bench
}

async function give(
  bench: BenchContext,
  reason: string | undefined,
  by: Caller = ada,
  known?: ApprovalRow,
): Promise<Decided> {
  const row = known ?? (await approval(bench))
  return transact(bench.ctx, (tx) => explain(tx, row, by, reason))
}

async function endWindow(bench: BenchContext): Promise<void> {
  await bench.database.db
    .updateTable('approval')
    .set({ reason_until: longAgo })
    .where('state', '=', 'denied')
    .execute()
}

async function turnState(bench: BenchContext) {
  return bench.database.db
    .selectFrom('turn')
    .select(['state', 'next_due'])
    .executeTakeFirstOrThrow()
}

describe('a tap on Deny', () => {
  test('TG-03 DECISION-16 claims the question for five minutes: the card says until when, the model is told nothing', async () => {
    await using bench = await createBenchContext(asking(command()))
    await bench.say('hi')
    await bench.step()
    const told = bench.due.length
    const decided = await decide(bench.ctx, (await approval(bench)).id, ada, tap)
    expect(decided).toEqual({ kind: 'applied', text: expect.stringContaining('Just deny') })
    const row = await approval(bench)
    expect(row).toMatchObject({ state: 'denied', decided_by: ada.id, reason: null })
    const left = (row.reason_until?.getTime() ?? 0) - (row.decided_at?.getTime() ?? 0)
    expect(left).toBe(300_000)
    expect(await statusOf(bench)).toEqual({
      kind: 'denying',
      by: 'Ada',
      at: row.decided_at?.toISOString(),
      until: row.reason_until?.toISOString(),
    })
    await bench.step()
    await sweep(bench.ctx, longAgo)
    expect((await bench.calls())[0]).toMatchObject({ state: 'awaiting_approval', result: null })
    expect(bench.due).toHaveLength(told)
    expect((await approval(bench)).reason_until).toEqual(row.reason_until)
  })

  test('TG-03 APPR-04 nobody can decide any more; the same person is told how to go on', async () => {
    await using bench = await denied()
    const { id } = await approval(bench)
    const at = (await approval(bench)).decided_at?.toISOString().slice(11, 16)
    const already = { kind: 'late', text: `Already denied by Ada at ${at} UTC.` }
    expect(await decide(bench.ctx, id, eve, { kind: 'approve' })).toEqual(already)
    expect(await decide(bench.ctx, id, eve, tap)).toEqual(already)
    expect(await decide(bench.ctx, id, ada, { kind: 'always' })).toEqual(already)
    expect(await decide(bench.ctx, id, ada, tap)).toEqual({
      kind: 'late',
      text: 'Write why (in a group as a reply to the card), or tap Just deny.',
    })
    expect(await decide(bench.ctx, id, bob, tap)).toMatchObject({ kind: 'forbidden' })
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    const votes = await bench.database.db.selectFrom('approval_vote').selectAll().execute()
    expect(votes).toMatchObject([{ caller_id: ada.id, decision: 'deny' }])
  })

  test('APPR-04 TG-03 of many taps at once one is applied', async () => {
    await using bench = await createBenchContext(asking(command()))
    await bench.say('hi')
    await bench.step()
    const { id } = await approval(bench)
    await showCards(bench.database.db)
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        decide(bench.ctx, id, index % 2 ? ada : eve, index % 3 ? tap : { kind: 'approve' }),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.kind === 'applied')).toHaveLength(1)
  })

  test('TG-03 a denial that says why at once waits for nothing', async () => {
    await using bench = await createBenchContext(asking(command()))
    await bench.say('hi')
    await bench.step()
    const row = await approval(bench)
    await decide(bench.ctx, row.id, ada, { ...tap, reason: 'no' })
    expect((await bench.calls())[0]?.result).toContain('rejected by user: no')
    expect((await approval(bench)).reason_until).toBeNull()
  })
})

describe('the reason', () => {
  test('TG-03 APPR-03 goes to the model as the result, onto the card, and into the row', async () => {
    const model = asking(command())
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    await bench.step()
    await decide(bench.ctx, (await approval(bench)).id, ada, tap)
    expect(await give(bench, '  use the other host  ')).toMatchObject({ kind: 'applied' })
    const row = await approval(bench)
    expect(row).toMatchObject({ reason: 'use the other host', reason_until: null })
    expect(await statusOf(bench)).toEqual({
      kind: 'denied',
      by: 'Ada',
      at: row.decided_at?.toISOString(),
      reason: 'use the other host',
    })
    expect((await turnState(bench)).next_due).not.toBeNull()
    await bench.step()
    const result = model.requests[1]?.messages.at(-1)
    expect(result).toMatchObject({ role: 'tool', isError: true })
    expect(result?.text).toContain('rejected by user: use the other host')
    expect((await bench.notices()).at(-1)).toBe('done')
  })

  test('TG-03 Just deny settles without one, once', async () => {
    await using bench = await denied()
    expect(await give(bench, undefined)).toMatchObject({ kind: 'applied' })
    expect(await give(bench, undefined)).toMatchObject({
      kind: 'late',
      text: expect.stringContaining('Already denied by Ada'),
    })
    expect((await bench.calls())[0]?.result).toMatch(/rejected by user$/m)
    expect(await statusOf(bench)).not.toHaveProperty('reason')
  })

  test('TG-03 only whoever denied gives it: approvers are told who did, others that they may not', async () => {
    await using bench = await denied()
    expect(await give(bench, 'mine', eve)).toMatchObject({
      kind: 'late',
      text: expect.stringContaining('Already denied by Ada'),
    })
    expect(await give(bench, undefined, eve)).toMatchObject({ kind: 'late' })
    expect(await give(bench, 'mine', bob)).toMatchObject({ kind: 'forbidden' })
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    expect((await approval(bench)).reason).toBeNull()
  })

  test('TG-03 CHAT-02 an approver who denied and is none any more does not speak to the model', async () => {
    await using bench = await createBenchContext(asking(command()))
    await bench.say('hi')
    await bench.step()
    await decide(bench.ctx, (await approval(bench)).id, eve, tap)
    const told = await give(bench, 'words', { ...eve, role: 'user' })
    expect(told.kind).toBe('forbidden')
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
  })

  test('TG-03 a question that was not denied takes none', async () => {
    await using bench = await createBenchContext(asking(command()))
    await bench.say('hi')
    await bench.step()
    expect(await give(bench, 'no')).toMatchObject({ kind: 'late' })
    expect((await approval(bench)).state).toBe('pending')
  })

  test('TG-03 APPR-09 /deny with the number says it too', async () => {
    await using bench = await denied()
    await bench.say('/deny 1 not now')
    expect((await bench.calls())[0]?.result).toContain('rejected by user: not now')
  })

  test('TG-03 of a very long one 4,000 characters are kept, none of them in half', async () => {
    await using bench = await denied()
    await give(bench, '😀'.repeat(3000))
    const { reason } = await approval(bench)
    expect(reason?.length).toBeLessThanOrEqual(4000)
    expect(reason?.length).toBeGreaterThan(3990)
    expect(reason?.isWellFormed()).toBe(true)
    const shown = (await statusOf(bench)).reason
    expect(shown.length).toBeLessThanOrEqual(500)
    expect(shown.isWellFormed()).toBe(true)
    expect((await bench.calls())[0]?.result).toContain(reason)
  })

  test('TG-03 DECISION-17 a reply is a reason only from whoever denied, to a copy of that card, in time', async () => {
    await using bench = await denied()
    const { db } = bench.database
    const { conversation_id: place } = await approval(bench)
    await db.updateTable('outbox').set({ external_message_id: '7', state: 'sent' }).execute()
    const found = (as: Caller, message: string, where = place) =>
      findExplaining(db, where, as.id, message)
    expect((await found(ada, '7'))?.number).toBe(1)
    expect(await found(eve, '7')).toBeUndefined()
    expect(await found(ada, '8')).toBeUndefined()
    expect(await found(ada, '7', '00000000-0000-0000-0000-000000000000')).toBeUndefined()
    await db.updateTable('outbox').set({ parts: '["6","7"]' }).execute()
    expect((await found(ada, '6'))?.number).toBe(1)
    await endWindow(bench)
    expect(await found(ada, '7')).toBeUndefined()
  })
})

describe('when no reason comes', () => {
  test('TG-03 DECISION-16 the sweeper settles the call as denied, once, and a reason after that is too late', async () => {
    await using bench = await denied()
    await endWindow(bench)
    expect(await give(bench, 'late')).toMatchObject({ kind: 'late' })
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    await sweep(bench.ctx, longAgo)
    const settled = (await bench.calls())[0]
    expect(settled).toMatchObject({ state: 'denied', error_category: 'policy_blocked' })
    expect(settled?.result).toMatch(/rejected by user$/m)
    expect(await statusOf(bench)).toMatchObject({ kind: 'denied', by: 'Ada' })
    const edits = (await bench.database.db.selectFrom('outbox').selectAll().execute()).length
    await sweep(bench.ctx, longAgo)
    expect(await bench.database.db.selectFrom('outbox').selectAll().execute()).toHaveLength(edits)
    expect(await give(bench, 'late')).toMatchObject({ kind: 'late' })
    await bench.step()
    expect((await bench.notices()).at(-1)).toBe('done')
  })

  test('INT-5 TG-03 a reply at the very end of the time: the reason is told whole or not at all, and once', async () => {
    await using bench = await createBenchContext(asking(command()))
    const { db } = bench.database
    const kinds = new Set<string>()
    for (let round = 0; round < 8; round += 1) {
      await bench.say('hi')
      await bench.step()
      const row = (await approvals(bench)).at(-1)
      if (row === undefined) throw new Error('no question')
      await decide(bench.ctx, row.id, ada, tap)
      // By the database's clock, which is whose the time is.
      await sql`update approval set reason_until = clock_timestamp() + interval '6 ms'
        where id = ${row.id}`.execute(db)
      const wait = new Promise((resolve) => setTimeout(resolve, round))
      const [reply] = await Promise.all([
        wait.then(() => give(bench, 'because', ada, row)),
        new Promise((resolve) => setTimeout(resolve, 5)).then(() => sweep(bench.ctx, longAgo)),
      ])
      await new Promise((resolve) => setTimeout(resolve, 10))
      await sweep(bench.ctx, longAgo)
      kinds.add(reply.kind)
      const result = (await bench.calls()).at(-1)?.result
      if (reply.kind === 'applied') expect(result).toContain('rejected by user: because')
      else expect(result).toMatch(/rejected by user$/m)
      await bench.step()
    }
    expect([...kinds].every((kind) => kind === 'applied' || kind === 'late')).toBe(true)
    const audited = await db
      .selectFrom('audit_log')
      .select('call_id')
      .where('kind', '=', 'settled')
      .execute()
    expect(audited).toHaveLength(8)
  })

  test('APPR-08 neither expiry nor a reminder touches what was denied', async () => {
    await using bench = await denied()
    await bench.database.db
      .updateTable('approval')
      .set({ expires_at: longAgo, remind_at: longAgo })
      .execute()
    await sweep(bench.ctx, longAgo)
    expect((await approval(bench)).state).toBe('denied')
    expect(await statusOf(bench)).toMatchObject({ kind: 'denying' })
    expect((await bench.notices()).filter((text) => text.includes('still waiting'))).toEqual([])
  })
})

describe('a message after a denial', () => {
  test('CARD-08 TG-03 CHAT-08 DECISION-17 is the reason, and the turn goes on at once', async () => {
    await using bench = await denied()
    await bench.say('use the staging server')
    const [call] = await bench.calls()
    expect(call).toMatchObject({ state: 'denied' })
    expect(call?.result).toContain('rejected by user: use the staging server')
    expect(await statusOf(bench)).toMatchObject({ reason: 'use the staging server' })
    await bench.step()
    expect((await bench.notices()).at(-1)).toBe('done')
    expect((await bench.notices()).filter((text) => text.startsWith('Noted'))).toEqual([])
  })

  test('TG-03 is the reason of everything that its author denied there, and answers nothing that still waits', async () => {
    await using bench = await denied(command(), command('date'), command('id'))
    await decide(bench.ctx, (await approval(bench, 2)).id, ada, tap)
    await bench.say('not on a Friday')
    const [first, second, third] = await bench.calls()
    expect(first?.result).toContain('rejected by user: not on a Friday')
    expect(second?.result).toContain('rejected by user: not on a Friday')
    expect(third?.state).toBe('awaiting_approval')
    await bench.say('be quick')
    expect((await bench.notices()).at(-1)).toBe(
      'Noted. The model reads it at its next step. Approval 3 is still waiting.',
    )
  })

  test.each(['/status', '/nonsense', '/approvals'])(
    'TG-03 no command is a reason: %s',
    async (line) => {
      await using bench = await denied()
      await bench.say(line)
      expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
      expect(await statusOf(bench)).toMatchObject({ kind: 'denying' })
    },
  )

  test('TG-03 DECISION-17 nobody else’s is, nor one in a conversation where no card of it is', async () => {
    await using bench = await denied()
    await bench.say('what is this?', bob)
    const elsewhere = { platform: 'test', conversation: 'another room', callerId: ada.id }
    const body = { kind: 'message', text: 'hello there' } as const
    const event = { ...elsewhere, externalId: 'elsewhere 1', body }
    const { conversationId } = await receive(bench.ctx, event)
    await handleInbox(bench.ctx, conversationId)
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    await bench.say('because')
    expect((await bench.calls())[0]?.result).toContain('rejected by user: because')
  })

  test('TG-03 where a copy of the card was sent elsewhere, an ordinary message there is one, and a reply to the card is the reason', async () => {
    await using bench = await createBenchContext(asking(command()))
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    const write = async (externalId: string, body: TextBody) => {
      const place = { platform: 'test', conversation: 'of eve', callerId: eve.id }
      const { conversationId } = await receive(bench.ctx, { ...place, externalId, body })
      await handleInbox(bench.ctx, conversationId)
      return conversationId
    }
    const place = await write('1', { kind: 'message', text: '/approvals' })
    await showCards(db)
    const copy = await db
      .updateTable('outbox')
      .set({ external_message_id: '7' })
      .where('conversation_id', '=', place)
      .returning('id')
      .executeTakeFirstOrThrow()
    const known = await approval(bench)
    await addCardCopy(db, known.id, copy.id)
    const deny = () =>
      transact(bench.ctx, (tx) => decideLocked(tx, known, { by: eve, decision: tap, at: place }))
    const text = 'Reply to the card with the reason'
    expect(await deny()).toMatchObject({ text: expect.stringContaining(text) })
    expect(await deny()).toMatchObject({ kind: 'late', text: expect.stringContaining(text) })
    await write('2', { kind: 'message', text: 'a task of my own' })
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    const turns = await db.selectFrom('turn').select('caller_id').execute()
    expect(turns.map(({ caller_id }) => caller_id)).toContain(eve.id)
    await write('3', { kind: 'message', text: 'because', replyTo: '7' })
    expect((await bench.calls())[0]?.result).toContain('rejected by user: because')
  })

  test('TG-03 after the time a message is a message', async () => {
    await using bench = await denied()
    await endWindow(bench)
    await bench.say('too late')
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    expect((await bench.notices()).at(-1)).toMatch(/^Noted/)
  })

  test('TG-03 one that is longer than a reason may be ends the wait, and the model reads the whole of it', async () => {
    const model = asking(command())
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    await bench.step()
    await decide(bench.ctx, (await approval(bench)).id, ada, tap)
    const text = `${'x'.repeat(4_000)} the end`
    await bench.say(text)
    expect((await bench.calls())[0]?.result).toMatch(/rejected by user$/m)
    await bench.step()
    expect(
      model.requests.at(-1)?.messages.some((message) => message.text.includes('the end')),
    ).toBe(true)
  })
})

describe('a turn that ends meanwhile', () => {
  test.each(['/stop', '/clear'])(
    'INT-6 INT-9 TG-03 %s settles the call as denied, and a reason comes too late',
    async (line) => {
      await using bench = await denied(command(), command('date'))
      const row = await approval(bench)
      await bench.say(line)
      const [first, second] = await bench.calls()
      expect(first).toMatchObject({ state: 'denied', result: expect.stringContaining('rejected') })
      expect(second?.state).toBe('cancelled')
      expect(await statusOf(bench)).toMatchObject({ kind: 'denied', by: 'Ada' })
      expect(await statusOf(bench, 2)).toMatchObject({ kind: 'cancelled' })
      expect((await approval(bench)).reason_until).toBeNull()
      expect(await give(bench, 'late', ada, row)).toMatchObject({ kind: 'late' })
      expect((await bench.calls()).filter((call) => call.settled_at === null)).toEqual([])
    },
  )

  test('REL-01 TG-03 one that fails settles it too', async () => {
    await using bench = await denied()
    await transact(bench.ctx, async (tx) => {
      const turn = await tx.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
      await failTurn(tx, turn, 'a test')
    })
    expect((await bench.calls())[0]?.state).toBe('denied')
    expect(await statusOf(bench)).toMatchObject({ kind: 'denied', by: 'Ada' })
  })
})

describe('what waits beside it', () => {
  test('APPR-10 REG-07 DECISION-2 TG-03 neither a mutating call nor what reads after it overtakes one whose reason is awaited', async () => {
    await using bench = await denied(
      command(),
      toRequest('write', { path: 'a', content: 'x' }),
      toRequest('read', { path: 'a' }),
    )
    await bench.step()
    const states = async () => (await bench.calls()).map((call) => call.state)
    expect(await states()).toEqual(['awaiting_approval', 'allowed', 'allowed'])
    await give(bench, undefined)
    await bench.step()
    expect(await states()).toEqual(['denied', 'queued', 'allowed'])
  })

  test('INT-24 TG-03 an Always for the like of it does not let it run', async () => {
    await using bench = await denied(command('wc -c a'), command('wc -c b'))
    await showCards(bench.database.db)
    await decide(bench.ctx, (await approval(bench, 2)).id, eve, { kind: 'always' })
    await bench.step()
    expect((await approval(bench)).state).toBe('denied')
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    expect(bench.jobs).toEqual([])
    await give(bench, 'never')
    await bench.step()
    expect((await bench.calls()).map((call) => call.state)).toEqual(['denied', 'queued'])
  })

  test('STORE-01 INT-30 a restart changes nothing: the reason is still awaited', async () => {
    await using bench = await denied()
    await expireAllLeases(bench.database.db)
    await sweep(bench.ctx, longAgo)
    await bench.step(bench.another())
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
    expect(await give(bench, 'because')).toMatchObject({ kind: 'applied' })
  })

  test('POL-06 TG-03 a rule that allows it by now does not let it run', async () => {
    await using bench = await denied()
    bench.rules.text = '{"*": "allow"}'
    await bench.database.db.updateTable('turn').set({ next_due: longAgo }).execute()
    await bench.step()
    expect(bench.jobs).toEqual([])
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
  })

  test('LOOP-13 TG-03 it is given back to the quota once', async () => {
    await using bench = await createBenchContext(asking(command(), command('date')), {
      maxToolCallsPerSession: 5,
    })
    await bench.say('hi')
    await bench.step()
    const used = async () =>
      (await bench.database.db.selectFrom('session').selectAll().executeTakeFirstOrThrow())
        .calls_used
    await decide(bench.ctx, (await approval(bench)).id, ada, tap)
    expect(await used()).toBe(2)
    await give(bench, undefined)
    await endWindow(bench)
    await sweep(bench.ctx, longAgo)
    expect(await used()).toBe(1)
  })

  test('APPR-09 TG-03 it is not listed among what waits', async () => {
    await using bench = await denied()
    await bench.say('/approvals')
    expect((await bench.notices()).at(-1)).toBe('Nothing is waiting for an answer.')
  })
})
