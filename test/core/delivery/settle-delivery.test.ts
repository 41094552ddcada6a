import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { notice, post, transact } from '../../../src/core/transaction.ts'
import { findToken } from '../../../src/db/approval/callback-tokens.ts'
import { insertOutgoing } from '../../../src/db/outbox/outbox.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import type { ChatPlatform, Delivery, DeliveryContext } from '../../../src/ports/chat.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { deliverAll } from '../../support/deliver-all.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const model = () => createScriptedModel([call('bash', { command: 'true' }), say('done')])

async function room(settings: Parameters<typeof createBenchContext>[1] = {}) {
  const bench = await createBenchContext(model(), settings)
  const { id } = await ensureConversation(bench.database.db, 'test', 'room')
  return Object.assign(bench, { conversation: id })
}

async function tell(bench: BenchContext, conversation: string, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await transact(bench.ctx, (tx) => notice(tx, conversation, text))
  }
}

type Deliver = (text: string, context: DeliveryContext) => Promise<Delivery> | Delivery

function answering(deliver: Deliver, name = 'test'): ChatPlatform {
  return {
    name,
    live: () => undefined,
    deliver: async (_place, message, context) =>
      deliver(message.kind === 'notice' ? message.text : message.kind, context),
  }
}

const rows = (bench: BenchContext) =>
  bench.database.db.selectFrom('outbox').selectAll().orderBy('id').execute()

/** What the outbox and the audit hold, as text. */
async function everything(bench: BenchContext): Promise<string> {
  const audit = await bench.database.db.selectFrom('audit_log').selectAll().execute()
  return JSON.stringify([await rows(bench), audit])
}

describe('what becomes of a message', () => {
  test('CHAT-06 INT-19 the platform’s time to wait is kept to, however often it names one', async () => {
    await using bench = await room()
    await tell(bench, bench.conversation, 'one', 'two')
    const busy = answering(() => ({ kind: 'busy', afterMs: 7_000, why: '429' }))
    for (let round = 0; round < 30; round += 1) {
      expect(await deliverConversation(bench.ctx, busy, bench.conversation)).toBe(7_000)
      await bench.database.db
        .updateTable('outbox')
        .set({ not_before: new Date(0) })
        .execute()
    }
    expect(await rows(bench)).toMatchObject([
      { state: 'pending', attempts: 0 },
      { state: 'pending', attempts: 0 },
    ])
  })

  test('CHAT-06 an edit that has to wait keeps back no message behind it, and goes when it may', async () => {
    await using bench = await room()
    const { db } = bench.database
    await tell(bench, bench.conversation, 'first')
    await deliverConversation(
      bench.ctx,
      answering(() => ({ kind: 'sent', messageId: '1' })),
      bench.conversation,
    )
    const [first] = await rows(bench)
    const edit = JSON.stringify({ kind: 'notice', text: 'first, edited' })
    await insertOutgoing(db, bench.conversation, edit, { editOf: first?.id ?? 0 })
    await tell(bench, bench.conversation, 'second', 'third')
    const went: string[] = []
    const noEdits = answering((text, { editOf }) => {
      if (editOf !== undefined) return { kind: 'busy', afterMs: 7_000, why: '429' }
      went.push(text)
      return { kind: 'sent', messageId: text }
    })
    expect(await deliverConversation(bench.ctx, noEdits, bench.conversation)).toBe(7_000)
    expect(went).toEqual(['second', 'third'])
    await db
      .updateTable('outbox')
      .set({ not_before: new Date(0) })
      .execute()
    const edited: unknown[] = []
    const taking = answering((text, { editOf }) => {
      edited.push([text, editOf])
      return { kind: 'sent', messageId: '1' }
    })
    await deliverConversation(bench.ctx, taking, bench.conversation)
    expect(edited).toEqual([['first, edited', '1']])
  })

  test('CHAT-06 a platform that cannot be reached is tried ever more slowly, and nothing is lost for a day', async () => {
    await using bench = await room()
    await tell(bench, bench.conversation, 'one', 'two')
    const away = answering(() => ({ kind: 'unreachable', why: 'ECONNREFUSED' }))
    const { db } = bench.database
    const pauses: number[] = []
    for (let round = 0; round < 40; round += 1) {
      pauses.push((await deliverConversation(bench.ctx, away, bench.conversation)) ?? 0)
      await db
        .updateTable('outbox')
        .set({ not_before: new Date(0) })
        .execute()
    }
    expect(Math.max(...pauses.slice(0, 1))).toBeLessThanOrEqual(1_000)
    expect(Math.min(...pauses.slice(10))).toBeGreaterThanOrEqual(30_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000)
    expect((await rows(bench)).map((row) => row.state)).toEqual(['pending', 'pending'])
    await db
      .updateTable('outbox')
      .set({ not_before: new Date(0) })
      .execute()
    await sql`update outbox set created_at = now() - interval '25 hours'`.execute(db)
    await deliverConversation(bench.ctx, away, bench.conversation)
    expect((await rows(bench))[0]).toMatchObject({ state: 'dead', failure: 'ECONNREFUSED' })
  })

  test.each([
    ['was sent', { kind: 'sent', messageId: '1' }, 'sent'],
    ['the platform refused', { kind: 'refused', why: 'blocked' }, 'dead'],
    ['nobody could be told for a day', { kind: 'unreachable', why: 'ECONNREFUSED' }, 'dead'],
  ] as const)(
    'CHAT-01 CHAT-06 a secret that %s is in no row any more, and what only speaks of one stays',
    async (_, answer, state) => {
      await using bench = await room()
      const { db } = bench.database
      const code = 'AB2C-D3EF-G4HJK'
      const secret = { kind: 'notice', text: `${code} links`, isSecret: true } as const
      await transact(bench.ctx, (tx) => post(tx, bench.conversation, secret))
      await tell(bench, bench.conversation, 'a text with "isSecret":true in it')
      expect(await everything(bench)).toContain(code)
      await sql`update outbox set created_at = now() - interval '25 hours'`.execute(db)
      await deliverConversation(
        bench.ctx,
        answering(() => answer),
        bench.conversation,
      )
      const [first, second] = await rows(bench)
      expect(first).toMatchObject({ state })
      expect(JSON.parse(second?.body ?? '')).toMatchObject({
        text: 'a text with "isSecret":true in it',
      })
      expect(await everything(bench)).not.toContain(code)
    },
  )

  test('DECISION-26 CHAT-06 the operators’ conversation is told of a dead letter, and of none of its own', async () => {
    await using bench = await room({ alertsTo: 'ops:-100:7' })
    await tell(bench, bench.conversation, 'bad', 'good')
    const refusing = answering((text) =>
      text === 'good' ? { kind: 'sent', messageId: '1' } : { kind: 'refused', why: 'blocked' },
    )
    await deliverConversation(bench.ctx, refusing, bench.conversation)
    const told: string[] = []
    await deliverAll(
      bench.ctx,
      answering((text) => {
        told.push(text)
        return { kind: 'refused', why: 'chat not found' }
      }, 'ops'),
    )
    expect(told).toEqual([expect.stringContaining('blocked')])
    const all = await rows(bench)
    expect(all.map((row) => row.state)).toEqual(['dead', 'sent', 'dead'])
  })

  test('CHAT-06 of a message in parts only those go again that did not go', async () => {
    await using bench = await room()
    await tell(bench, bench.conversation, 'long')
    const sent: string[] = []
    const inParts = answering(async (_text, context) => {
      for (const part of ['a', 'b', 'c'].slice(context.sentParts.length)) {
        if (part === 'c' && context.sentParts.length === 0) {
          return { kind: 'busy', afterMs: 0, why: '429' }
        }
        sent.push(part)
        await context.onPart(`id-${part}`)
      }
      return { kind: 'sent', messageId: 'id-c' }
    })
    await deliverConversation(bench.ctx, inParts, bench.conversation)
    await deliverConversation(bench.ctx, inParts, bench.conversation)
    expect(sent).toEqual(['a', 'b', 'c'])
    expect(await rows(bench)).toMatchObject([{ state: 'sent', external_message_id: 'id-c' }])
  })

  test('CHAT-06 a copy that somebody deleted alerts nobody and is edited no more', async () => {
    await using bench = await room({ alertsTo: 'ops:1' })
    const id = await bench.say('go')
    await bench.step()
    const gone = answering((text) =>
      text === 'card_update'
        ? { kind: 'refused', why: 'message to edit not found', isGone: true }
        : { kind: 'sent', messageId: '1' },
    )
    await deliverConversation(bench.ctx, gone, id)
    await bench.say('/deny 1')
    await deliverConversation(bench.ctx, gone, id)
    const { db } = bench.database
    expect(await db.selectFrom('approval_card').selectAll().execute()).toEqual([])
    const ops = await db
      .selectFrom('conversation')
      .selectAll()
      .where('platform', '=', 'ops')
      .execute()
    expect(ops).toEqual([])
  })

  test('CHAT-06 a chat that has moved is followed, with its topics; what waited goes there', async () => {
    await using bench = await room()
    const { db } = bench.database
    const topic = await ensureConversation(db, 'test', 'room/7')
    const other = await ensureConversation(db, 'test', 'roommate')
    await tell(bench, bench.conversation, 'hello')
    const places: string[] = []
    const moving: ChatPlatform = {
      name: 'test',
      live: () => undefined,
      deliver: async (place) => {
        places.push(place)
        return place === 'room'
          ? { kind: 'moved', place: 'hall' }
          : { kind: 'sent', messageId: '1' }
      },
    }
    expect(await deliverConversation(bench.ctx, moving, bench.conversation)).toBe(0)
    await deliverConversation(bench.ctx, moving, bench.conversation)
    expect(places).toEqual(['room', 'hall'])
    const there = await db.selectFrom('conversation').select(['id', 'external_id']).execute()
    expect(there).toContainEqual({ id: topic.id, external_id: 'hall/7' })
    expect(there).toContainEqual({ id: other.id, external_id: 'roommate' })
  })

  test('APPR-16 a card of which a platform showed a part only cannot be approved by it', async () => {
    await using bench = await room()
    const id = await bench.say('go')
    await bench.step()
    const cutting = answering(() => ({ kind: 'sent', messageId: '1', isCut: true }))
    await deliverConversation(bench.ctx, cutting, id)
    await bench.say('/approve 1')
    const approval = await bench.database.db
      .selectFrom('approval')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(approval.state).toBe('pending')
  })

  test('APPR-16 INT-16 nor where two processes have sent it, each a part only', async () => {
    await using bench = await room()
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    const card = answering(async (kind) => {
      if (kind !== 'card') return { kind: 'sent', messageId: '8' }
      // Another process took this one for dead, and was sooner.
      await db
        .updateTable('outbox')
        .set({ state: 'sent', external_message_id: '9', is_cut: true })
        .where('state', '=', 'pending')
        .execute()
      return { kind: 'sent', messageId: '10', isCut: true }
    })
    await deliverConversation(bench.ctx, card, bench.conversation)
    expect((await rows(bench)).map((row) => row.external_message_id)).toContain('10')
    await bench.act({ kind: 'message', text: '/approve 1' })
    const [question] = await db.selectFrom('approval').select('state').execute()
    expect(question?.state).toBe('pending')
  })

  test('TG-02 THREAT-8 a button’s token is known by its digest alone, before it is shown, for its card and conversation', async () => {
    await using bench = await room()
    await bench.say('go')
    await bench.step()
    const approval = await bench.database.db
      .selectFrom('approval')
      .selectAll()
      .executeTakeFirstOrThrow()
    const minted: string[] = []
    const platform = answering(async (_text, context) => {
      const tokens = await context.mintTokens(approval.id, ['approve', 'deny'])
      minted.push(tokens.approve, tokens.deny)
      expect(await findToken(bench.database.db, sha256(tokens.approve))).toMatchObject({
        approval_id: approval.id,
        action: 'approve',
        conversation_id: bench.conversation,
      })
      return { kind: 'sent', messageId: '1' }
    })
    await deliverConversation(bench.ctx, platform, bench.conversation)
    expect(new Set(minted).size).toBe(2)
    for (const token of minted) expect(token).toMatch(/^[\w-]{22}$/)
    const kept = await bench.database.db.selectFrom('callback_token').selectAll().execute()
    for (const token of minted) expect(JSON.stringify(kept)).not.toContain(token)
  })
})
