import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { noteKept } from '../../../src/core/approval/decide/give-reason.ts'
import { adoptCopy } from '../../../src/core/delivery/adopt-copy.ts'
import { Effects, transact } from '../../../src/core/transaction.ts'
import type { Card } from '../../../src/domain/approval.ts'
import {
  ada,
  type BenchContext,
  createBenchContext,
  ok,
  showCards,
} from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const answering = () =>
  createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user'
      ? calls([toRequest('bash', { command: 'one' }), toRequest('bash', { command: 'two' })])
      : say('done'),
  )

async function asked(): Promise<BenchContext> {
  const bench = await createBenchContext(answering())
  await bench.say('hi')
  await bench.step()
  return bench
}

async function approval(bench: BenchContext, number = 1) {
  return bench.database.db
    .selectFrom('approval')
    .selectAll()
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
}

const transactionOf = ({ ctx, database }: BenchContext) => ({
  ctx,
  db: database.db,
  effects: new Effects(),
})

/** Edits of cards that wait to be sent, as `message id or row: status`. */
async function edits(bench: BenchContext): Promise<string[]> {
  const rows = await bench.database.db
    .selectFrom('outbox as edit')
    .innerJoin('outbox as card', 'card.id', 'edit.edit_of')
    .select(['edit.body', 'card.external_message_id'])
    .orderBy('edit.id')
    .execute()
  return rows.map(
    ({ body, external_message_id }) =>
      `${external_message_id ?? 'unsent'}: ${JSON.parse(body).card.status.kind}`,
  )
}

describe('a card whose sending was not recorded', () => {
  test('THREAT-8 INT-16 becomes a copy at its tap: what happens to the card reaches both', async () => {
    await using bench = await asked()
    const { db } = bench.database
    const row = await approval(bench)
    await db
      .updateTable('outbox')
      .set({ external_message_id: '41', state: 'sent' })
      .where('id', '=', row.card_outbox_id)
      .execute()
    expect(await adoptCopy(transactionOf(bench), row, '42')).toBe(true)
    expect(await adoptCopy(transactionOf(bench), row, '42')).toBe(false)
    expect(await adoptCopy(transactionOf(bench), row, '41')).toBe(false)
    await decide(bench.ctx, row.id, ada, { kind: 'approve' })
    expect(await edits(bench)).toEqual(['41: approved', '42: approved'])
    const adopted = await db
      .selectFrom('outbox')
      .selectAll()
      .where('external_message_id', '=', '42')
      .executeTakeFirstOrThrow()
    expect(adopted).toMatchObject({ state: 'sent', conversation_id: row.conversation_id })
    const message = JSON.parse(adopted.body)
    expect(message).toEqual({ kind: 'card', card: JSON.parse(row.card) })
    expect((await approval(bench)).card_outbox_id).toBe(row.card_outbox_id)
  })

  test('INT-16 one of a question that is over is told so at once', async () => {
    await using bench = await asked()
    const { id } = await approval(bench)
    await decide(bench.ctx, id, ada, { kind: 'deny' })
    await adoptCopy(transactionOf(bench), await approval(bench), '42')
    expect((await edits(bench)).at(-1)).toBe('42: denied')
    await adoptCopy(transactionOf(bench), await approval(bench), '42')
    expect((await edits(bench)).filter((edit) => edit.startsWith('42'))).toHaveLength(1)
  })

  test('INT-16 a sending that is recorded after its tap does not make each edit twice', async () => {
    await using bench = await asked()
    const { db } = bench.database
    const row = await approval(bench)
    await adoptCopy(transactionOf(bench), row, '42')
    await db
      .updateTable('outbox')
      .set({ external_message_id: '42', state: 'sent' })
      .where('id', '=', row.card_outbox_id)
      .execute()
    await decide(bench.ctx, row.id, ada, { kind: 'approve' })
    expect(await edits(bench)).toEqual(['42: approved'])
  })

  test('INT-16 a part of a card that is being sent is no other card', async () => {
    await using bench = await asked()
    const { db } = bench.database
    const row = await approval(bench)
    await db
      .updateTable('outbox')
      .set({ parts: '["40","41"]' })
      .where('id', '=', row.card_outbox_id)
      .execute()
    expect(await adoptCopy(transactionOf(bench), row, '41')).toBe(false)
  })
})

describe('a message while cards wait', () => {
  test('CHAT-08 each waiting card says how many were kept, and still waits; an answered one says nothing', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    await decide(bench.ctx, (await approval(bench)).id, ada, { kind: 'approve' })
    const before = (await edits(bench)).length
    const session = await bench.database.db
      .selectFrom('session')
      .selectAll()
      .executeTakeFirstOrThrow()
    const keep = () => transact(bench.ctx, (tx) => noteKept(tx, session))
    await keep()
    await keep()
    const card: Card = JSON.parse((await approval(bench, 2)).card)
    expect(card).toMatchObject({ messagesKept: 2, status: { kind: 'waiting' } })
    expect(JSON.parse((await approval(bench)).card)).not.toHaveProperty('messagesKept')
    // The second edit takes the place of the first, which nobody had begun to send.
    expect(await edits(bench)).toHaveLength(before + 1)
    expect((await edits(bench)).at(-1)).toBe('shown-2: waiting')
    await bench.say('/deny 2')
    expect(JSON.parse((await approval(bench, 2)).card).status.kind).toBe('denied')
  })
})

test('APPR-13 running and finished name who approved it, and when', async () => {
  await using bench = await asked()
  await bench.say('/deny 2')
  await bench.say('/approve 1')
  await bench.step()
  const statusOf = async () => JSON.parse((await approval(bench)).card).status
  const at = (await approval(bench)).decided_at?.toISOString()
  expect(await statusOf()).toMatchObject({ kind: 'approved', by: 'Ada', at })
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  await bench.started(row)
  expect(await statusOf()).toEqual({ kind: 'running', by: 'Ada', at })
  await bench.result(row, ok)
  expect(await statusOf()).toMatchObject({ kind: 'finished', by: 'Ada', at, outcome: 'done' })
})

test('THREAT-8 a passing message, or one that does not show the button, is made no copy of a card', async () => {
  await using bench = await asked()
  const { db } = bench.database
  const { id } = await approval(bench)
  await showCards(db)
  await db.updateTable('conversation').set({ live_message_id: '77' }).execute()
  const tap = (messageId: string, isThere?: boolean) =>
    bench.act({
      kind: 'tap',
      approvalId: id,
      action: 'approve',
      messageId,
      ...(isThere === undefined ? {} : { isThere }),
    })
  await tap('77')
  await tap('78', false)
  const known = async () =>
    (await db.selectFrom('outbox').select('external_message_id').execute()).map(
      (row) => row.external_message_id,
    )
  expect(await known()).not.toContain('77')
  expect(await known()).not.toContain('78')
  await tap('79', true)
  expect(await known()).toContain('79')
})
