import { describe, expect, test } from 'vitest'
import { adoptCopy } from '../../../../src/core/delivery/adopt-copy.ts'
import { tapCard } from '../../../../src/core/inbox/taps/tap-card.ts'
import { transact } from '../../../../src/core/transaction.ts'
import { savePairedRole } from '../../../../src/db/people/callers.ts'
import type { Card, CardAction } from '../../../../src/domain/approval.ts'
import type { ApproverSettings } from '../../../../src/domain/approvers.ts'
import type { Caller } from '../../../../src/domain/caller.ts'
import { ada, bob, createBenchContext, eve } from '../../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../../support/scripted-model.ts'

const nobody = { users: [], approvers: [], operators: [] }

const strict: ApproverSettings = {
  allowSelf: false,
  roles: { low: 'approver', medium: 'approver', high: 'operator' },
  people: { low: 1, medium: 1, high: 1 },
  quorum: [],
}

/** A card of Ada's as message 41, and a copy of it as message 42. */
async function shownTwice(
  command = 'touch a && ln -s a b',
  settings: Parameters<typeof createBenchContext>[1] = {},
) {
  const bench = await createBenchContext(
    createScriptedModel([call('bash', { command }), say('done')]),
    settings,
  )
  const { db } = bench.database
  const conversationId = await bench.say('go')
  await bench.step()
  for (const { id, name, role } of [ada, bob, eve]) await savePairedRole(db, { id, name }, role)
  const row = await db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
  const sent = { external_message_id: '41', state: 'sent' } as const
  await db.updateTable('outbox').set(sent).where('id', '=', row.card_outbox_id).execute()
  const ctx = { ...bench.ctx, people: { test: nobody } }
  await transact(ctx, (tx) => adoptCopy(tx, row, '42'))
  const tap = (by: Caller, action: CardAction, messageId = '41', isEarly = false) => {
    const body = { kind: 'tap', approvalId: row.id, action, messageId, isEarly } as const
    return transact(ctx, (tx) => tapCard(tx, conversationId, by, body))
  }
  /** Edits that wait to be sent: message id, what they show, and what Always would allow. */
  const edits = async () => {
    const rows = await db
      .selectFrom('outbox as edit')
      .innerJoin('outbox as card', 'card.id', 'edit.edit_of')
      .select(['edit.body', 'card.external_message_id as id'])
      .where('edit.state', '=', 'pending')
      .orderBy('edit.id')
      .execute()
    return rows.map(({ body, id }) => {
      const { card }: { card: Card } = JSON.parse(body)
      return `${id}: ${card.open ?? card.status.kind}: ${card.alwaysPatterns.join(', ')}`
    })
  }
  const grants = () => db.selectFrom('grant_rule').select(['pattern', 'life']).execute()
  const state = async () =>
    (await db.selectFrom('approval').select('state').executeTakeFirstOrThrow()).state
  return Object.assign(bench, { db, tap, edits, grants, state })
}

describe('the views of a card', () => {
  test('CARD-03 the choices open on the copy that was tapped, for as long as nothing else happens, and decide nothing', async () => {
    await using at = await shownTwice()
    expect(await at.tap(ada, 'choice')).toEqual({ text: '', alert: false })
    expect(await at.edits()).toEqual(['41: choice: touch *, ln -s a b'])
    expect(await at.tap(eve, 'choice', '42')).toEqual({ text: '', alert: false })
    expect(await at.tap(ada, 'back')).toEqual({ text: '', alert: false })
    expect(await at.edits()).toEqual([
      '42: choice: touch *, ln -s a b',
      '41: waiting: touch *, ln -s a b',
    ])
    expect(await at.grants()).toEqual([])
    expect(await at.state()).toBe('pending')
    const { card } = await at.db.selectFrom('approval').select('card').executeTakeFirstOrThrow()
    expect(JSON.parse(card)).not.toHaveProperty('open')
  })

  test('CARD-03 APPR-04 what was decided meanwhile closes the choices everywhere, and a late tap there grants nothing', async () => {
    await using at = await shownTwice()
    await at.tap(ada, 'choice')
    expect(await at.tap(eve, 'approve', '42')).toEqual({ text: 'Approved.', alert: false })
    expect(await at.edits()).toEqual([
      '41: approved: touch *, ln -s a b',
      '42: approved: touch *, ln -s a b',
    ])
    for (const action of ['always', 'turn', 'choice', 'details', 'back'] as const)
      expect(await at.tap(ada, action)).toMatchObject({
        text: expect.stringMatching(/^Already approved by Eve/),
        alert: true,
      })
    expect(await at.grants()).toEqual([])
    expect(await at.edits()).toHaveLength(2)
  })

  test('CARD-03 INT-16 buttons of cards that an older version sent grant what those cards show', async () => {
    await using at = await shownTwice()
    expect(await at.tap(ada, '1h')).toMatchObject({ text: 'Approved, for 1 h.' })
    expect(await at.grants()).toEqual([
      { pattern: 'touch *', life: '1h' },
      { pattern: 'ln -s a b', life: '1h' },
    ])
  })

  test('CARD-03 APPR-17 a requester who may not approve opens the details, but not the choices', async () => {
    await using at = await shownTwice('touch a && ln -s a b', { approvers: strict })
    expect(await at.tap(ada, 'choice')).toEqual({
      text: expect.stringMatching(/^You may deny this, but not approve it/),
      alert: true,
    })
    expect(await at.edits()).toEqual([])
    expect(await at.tap(ada, 'details')).toEqual({ text: '', alert: false })
    expect(await at.tap(ada, 'back')).toEqual({ text: '', alert: false })
    expect(await at.tap(eve, 'choice')).toEqual({ text: '', alert: false })
    expect(await at.edits()).toEqual(['41: choice: touch *, ln -s a b'])
  })

  test('CARD-03 a tap that came too early for its buttons grants nothing; Deny always counts', async () => {
    await using at = await shownTwice()
    for (const action of ['approve', 'always', '15m'] as const)
      expect(await at.tap(eve, action, '41', true)).toEqual({
        text: 'The buttons just changed: tap again.',
        alert: true,
      })
    expect(await at.state()).toBe('pending')
    expect(await at.tap(eve, 'deny')).toMatchObject({ alert: false })
    expect(await at.tap(eve, 'approve', '41', true)).toMatchObject({
      text: expect.stringMatching(/^Already denied by Eve/),
    })
  })

  test('CARD-03 APPR-04 people who may not answer open nothing', async () => {
    await using at = await shownTwice()
    for (const action of ['choice', 'details', 'back'] as const)
      expect(await at.tap(bob, action)).toEqual({
        text: 'You may not answer this; Ada or an approver can.',
        alert: true,
      })
    expect(await at.edits()).toEqual([])
  })

  test('CARD-03 a message that shows no card of ours opens nothing', async () => {
    await using at = await shownTwice()
    await at.tap(ada, 'choice', '41')
    const [open] = await at.edits()
    expect(await at.tap(bob, 'details', '99')).toMatchObject({ alert: true })
    expect(await at.edits()).toEqual([open])
  })
})
