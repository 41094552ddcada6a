import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deliverConversation } from '../../../../src/core/delivery/deliver.ts'
import { takeIncoming } from '../../../../src/core/inbox/take-incoming.ts'
import { tapCard } from '../../../../src/core/inbox/taps/tap-card.ts'
import { transact } from '../../../../src/core/transaction.ts'
import { savePairedRole } from '../../../../src/db/people/callers.ts'
import type { CardAction } from '../../../../src/domain/approval.ts'
import { grantEnds } from '../../../../src/domain/grant-life.ts'
import type { ChatPlatform } from '../../../../src/ports/chat.ts'
import { ada, createBenchContext } from '../../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../../support/scripted-model.ts'

/** Milliseconds by which a test puts a change into the future, so that it counts as new however slow the test is. */
const hold = 60_000

type Tokens = Readonly<Record<string, string>>

const actions: readonly CardAction[] = ['approve', 'always', 'deny', ...grantEnds, 'choice', 'back']

/** A card that was sent long ago as message 41; `isCut`: what an edit tells of it. */
async function shown({ isCut = false } = {}) {
  const bench = await createBenchContext(
    createScriptedModel([call('bash', { command: 'touch a' }), say('done')]),
  )
  const { db } = bench.database
  const ctx = { ...bench.ctx, people: { test: { users: [], approvers: [], operators: [] } } }
  const conversation = await bench.say('go')
  await bench.step()
  await savePairedRole(db, ada, 'approver')
  const { id } = await db.selectFrom('approval').select('id').executeTakeFirstOrThrow()
  const minted: Tokens[] = []
  const platform: ChatPlatform = {
    name: 'test',
    live: () => undefined,
    deliver: async (_, message, context) => {
      if (message.kind === 'card' || message.kind === 'card_update')
        minted.push(await context.mintTokens(id, actions))
      return { kind: 'sent', messageId: '41', ...(isCut && { isCut: true }) }
    },
  }
  const deliver = async () => {
    await deliverConversation(ctx, platform, conversation)
    return minted.at(-1) ?? {}
  }
  const pass = async (ms: number) => {
    const by = sql`make_interval(secs => ${ms / 1000})`
    await sql`update outbox set sent_at = sent_at - ${by}`.execute(db)
    await sql`update callback_token set created_at = created_at - ${by}`.execute(db)
  }
  const place = await db
    .selectFrom('conversation')
    .select('external_id')
    .where('id', '=', conversation)
    .executeTakeFirstOrThrow()
  let events = 0
  /** Takes a tap in; answers whether it was stored as one that came too early. */
  const tap = async (tokens: Tokens, action: CardAction) => {
    events += 1
    await takeIncoming(ctx, {
      platform: 'test',
      externalId: `tap ${events}`,
      place: place.external_id,
      isPrivate: true,
      from: { id: ada.id, name: ada.name },
      act: { kind: 'tap', token: tokens[action] ?? '', messageId: '41', isThere: true },
    })
    const { body } = await db
      .selectFrom('inbound_event')
      .select('body')
      .where('external_id', '=', `tap ${events}`)
      .executeTakeFirstOrThrow()
    return JSON.parse(body).isEarly === true
  }
  const view = (action: 'choice' | 'details' | 'back') =>
    transact(ctx, (tx) =>
      tapCard(tx, conversation, ada, { kind: 'tap', approvalId: id, action, messageId: '41' }),
    )
  return Object.assign(bench, { db, deliver, pass, tap, view, conversation })
}

describe('a tap on buttons that have just changed', () => {
  test('CARD-03 the second of a double tap on Always… or ⋯ grants nothing, by the clock of the database', async () => {
    await using at = await shown()
    const first = await at.deliver()
    expect(await at.tap(first, 'approve')).toBe(false)
    await at.pass(60_000)
    await at.view('choice')
    const open = await at.deliver()
    await at.pass(-hold)
    for (const action of ['approve', 'always', ...grantEnds] as const)
      expect(await at.tap(open, action)).toBe(true)
    for (const action of ['deny', 'back', 'choice'] as const)
      expect(await at.tap(open, action)).toBe(false)
    await at.pass(hold + 1_500)
    expect(await at.tap(open, '15m')).toBe(false)
  })

  test('CARD-03 the same holds once the choices close; buttons of an earlier view are what the person saw', async () => {
    await using at = await shown()
    const first = await at.deliver()
    await at.pass(60_000)
    await at.view('choice')
    const open = await at.deliver()
    await at.pass(5_000)
    await at.view('back')
    const closed = await at.deliver()
    await at.pass(-hold)
    expect(await at.tap(closed, 'approve')).toBe(true)
    await at.pass(hold)
    expect(await at.tap(open, '1h')).toBe(false)
    expect(await at.tap(first, 'approve')).toBe(false)
  })

  test('CARD-03 CHAT-08 an edit that leaves the buttons as they are delays no answer, and hides no change before it', async () => {
    await using at = await shown()
    await at.deliver()
    await at.pass(60_000)
    await at.say('a message that is kept')
    const same = await at.deliver()
    expect(await at.tap(same, 'approve')).toBe(false)
    await at.view('details')
    expect(await at.tap(await at.deliver(), 'approve')).toBe(false)
    await at.pass(60_000)
    await at.view('choice')
    await at.deliver()
    await at.say('another one closes the choices')
    await at.deliver()
    await at.say('and one more')
    const closed = await at.deliver()
    await at.pass(-hold)
    expect(await at.tap(closed, 'approve')).toBe(true)
    await at.pass(hold + 1_500)
    expect(await at.tap(closed, 'approve')).toBe(false)
  })

  test('CARD-03 an edit that is on its way has just changed the buttons, however long it takes', async () => {
    await using at = await shown()
    await at.deliver()
    await at.pass(60_000)
    await at.view('choice')
    const open = await at.deliver()
    await at.pass(60_000)
    const edit = at.db.updateTable('outbox').where('edit_of', 'is not', null)
    await edit.set({ state: 'pending', claimed_until: sql<Date>`now() + interval '9 s'` }).execute()
    expect(await at.tap(open, '15m')).toBe(true)
    await edit.set({ claimed_until: null }).execute()
    expect(await at.tap(open, '15m')).toBe(false)
  })
})

test('APPR-16 CARD-03 a copy that may have been cut is approvable once an edit has shown the card whole', async () => {
  for (const isCut of [true, false]) {
    await using at = await shown({ isCut })
    await at.deliver()
    await at.db.updateTable('outbox').set({ is_cut: true }).execute()
    await at.view('back')
    await at.deliver()
    const { is_cut } = await at.db
      .selectFrom('outbox')
      .innerJoin('approval', 'approval.card_outbox_id', 'outbox.id')
      .select('outbox.is_cut')
      .executeTakeFirstOrThrow()
    expect(is_cut).toBe(isCut)
  }
})
