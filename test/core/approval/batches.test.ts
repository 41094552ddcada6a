import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { remindOfApprovals } from '../../../src/core/approval/sweep-approvals.ts'
import { showReadyBatches } from '../../../src/core/card/route-card.ts'
import type { CoreSettings } from '../../../src/core/context.ts'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { handleInbox } from '../../../src/core/inbox/handle.ts'
import { takeIncoming } from '../../../src/core/inbox/take-incoming.ts'
import { savePairedRole } from '../../../src/db/people/callers.ts'
import { type BatchAction, type GroupAnswer, groupAnswers } from '../../../src/domain/approval.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import type { ChatPlatform, Outgoing } from '../../../src/ports/chat.ts'
import { sha256 } from '../../../src/util/digest.ts'
import {
  ada,
  anybody,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  ok,
  showCards,
} from '../../support/bench-context.ts'
import { deliverAll } from '../../support/deliver-all.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const commands = (count: number, more = '') =>
  Array.from({ length: count }, (_, index) =>
    toRequest('bash', { command: `touch ${index + 1}${more}` }),
  )

async function asked(
  requests = commands(6),
  approvers: Partial<CoreSettings['approvers']> = {},
  settings: Partial<CoreSettings> = {},
) {
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? calls(requests) : say('done'),
  )
  const bench = await createBenchContext(model, {
    approvers: { ...anybody, ...approvers },
    ...settings,
  })
  bench.rules.text = '{"*": "ask"}'
  await bench.say('hi')
  await bench.step()
  return bench
}

async function posted(bench: BenchContext): Promise<(Outgoing & { readonly state: string })[]> {
  const rows = await bench.database.db.selectFrom('outbox').selectAll().orderBy('id').execute()
  return rows.map(({ body, state }) => ({ ...JSON.parse(body), state }))
}

async function batches(bench: BenchContext) {
  return (await posted(bench)).flatMap((message) =>
    message.kind === 'batch' || message.kind === 'batch_update' ? [message] : [],
  )
}

async function states(bench: BenchContext): Promise<string[]> {
  const { db } = bench.database
  const rows = await db.selectFrom('approval').select('state').orderBy('number').execute()
  return rows.map(({ state }) => state)
}

async function tap(bench: BenchContext, action: BatchAction, by: Caller = ada) {
  const [batch] = await batches(bench)
  const batchId = batch?.batch.batchId ?? ''
  await bench.act({ kind: 'batch', batchId, action, messageId: 'elsewhere', isThere: false }, by)
  const { db } = bench.database
  const row = await db
    .selectFrom('inbound_event')
    .select('answer')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return JSON.parse(row.answer ?? '{}')
}

describe('several questions of one step', () => {
  test('APPR-10 five have a card each, six have one card with all of them', async () => {
    await using five = await asked(commands(5))
    const kinds = (await posted(five)).map(({ kind }) => kind)
    expect(kinds).toEqual(['card', 'card', 'card', 'card', 'card'])
    await using six = await asked(commands(6))
    const [batch, ...others] = await posted(six)
    expect(others).toEqual([])
    expect(batch).toMatchObject({
      kind: 'batch',
      batch: {
        cards: [1, 2, 3, 4, 5, 6].map((number) => ({
          number,
          what: `touch ${number}`,
          status: { kind: 'waiting' },
          requestedBy: 'Ada',
        })),
      },
    })
  })

  test('APPR-20 APPR-10 all are approved by one answer; they run one at a time, and the turn goes on after the last', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    expect(await tap(bench, 'approve_all')).toEqual({ text: '1–6: Approved.', alert: false })
    expect(await states(bench)).toEqual(Array(6).fill('approved'))
    for (let count = 1; count <= 6; count += 1) {
      await bench.step()
      expect(bench.jobs).toHaveLength(count)
      const [running] = (await bench.calls()).filter(({ state }) => state === 'queued')
      if (running === undefined) throw new Error('nothing runs')
      await bench.result(running, ok)
    }
    await bench.step()
    expect(await bench.notices()).toContain('done')
    const last = (await batches(bench)).at(-1)
    expect(last?.batch.cards.map(({ status }) => status.kind)).toEqual(Array(6).fill('finished'))
  })

  test('APPR-20 APPR-05 all are denied by one answer, and the one message that shows them says so', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    expect(await tap(bench, 'deny_all')).toEqual({ text: '1–6: Denied.', alert: false })
    expect(await states(bench)).toEqual(Array(6).fill('denied'))
    const updates = (await batches(bench)).filter(({ kind }) => kind === 'batch_update')
    expect(updates).toHaveLength(1)
    expect(updates[0]?.batch.cards.every(({ status }) => status.kind === 'denied')).toBe(true)
    await bench.step()
    expect(await bench.notices()).toContain('done')
  })

  test('APPR-20 one by one each gets a card of its own, once, and is answered by it; the rest can still be answered together', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    expect(await tap(bench, 'review')).toMatchObject({ alert: false })
    expect(await tap(bench, 'review')).toMatchObject({ alert: true })
    const cards = (await posted(bench)).filter(({ kind }) => kind === 'card')
    expect(cards).toHaveLength(6)
    expect(cards[0]).toMatchObject({ card: { number: 1, alwaysPatterns: [expect.any(String)] } })
    await bench.say('/deny 2 not that one')
    expect(await states(bench)).toEqual(['pending', 'denied', ...Array<string>(4).fill('pending')])
    expect(await tap(bench, 'approve_all')).toMatchObject({ text: '1, 3, 4, 5, 6: Approved.' })
    expect(await tap(bench, 'approve_all')).toEqual({
      text: 'All of them have been answered.',
      alert: true,
    })
    expect((await states(bench))[1]).toBe('denied')
  })

  test('APPR-16 none of them can be approved before the card was shown, or by one of which a part only was', async () => {
    await using bench = await asked()
    const early = await tap(bench, 'approve_all')
    expect(early).toEqual({ text: expect.stringContaining('must be shown first'), alert: true })
    await showCards(bench.database.db)
    await bench.database.db.updateTable('outbox').set({ is_cut: true }).execute()
    expect(await tap(bench, 'approve_all')).toMatchObject({ alert: true })
    expect(await states(bench)).toEqual(Array(6).fill('pending'))
  })

  test('APPR-04 THREAT-8 a stranger can neither answer nor look at them one by one', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    const before = (await posted(bench)).length
    for (const action of ['approve_all', 'deny_all', 'review'] as const) {
      expect(await tap(bench, action, bob)).toMatchObject({
        text: expect.stringContaining('You may not answer this'),
        alert: true,
      })
    }
    expect(await states(bench)).toEqual(Array(6).fill('pending'))
    expect(await posted(bench)).toHaveLength(before)
  })

  test('APPR-12 APPR-17 each is decided by its own rule: all wait for the second person who must agree', async () => {
    await using bench = await asked(commands(6), { people: { low: 2, medium: 2, high: 2 } })
    await showCards(bench.database.db)
    expect(await tap(bench, 'approve_all')).toEqual({
      text: '1–6: Counted: 1 of 2 approved.',
      alert: false,
    })
    expect(await states(bench)).toEqual(Array(6).fill('pending'))
    await showCards(bench.database.db)
    expect(await tap(bench, 'approve_all', eve)).toEqual({ text: '1–6: Approved.', alert: false })
  })

  test('APPR-18 APPR-10 what others must answer is not asked on the same card', async () => {
    const quorum = [{ tool: 'bash', pattern: 'touch 3*', people: 2 }]
    await using bench = await asked(commands(7), { quorum })
    const [first, second, ...others] = await posted(bench)
    expect(others).toEqual([])
    expect(first).toMatchObject({ kind: 'card', card: { number: 3 } })
    const numbers = second?.kind === 'batch' ? second.batch.cards.map(({ number }) => number) : []
    expect(numbers).toEqual([1, 2, 4, 5, 6, 7])
  })

  test('APPR-16 APPR-07 Always needs the card that says what it would allow', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    await bench.say('/always 3', eve)
    expect((await bench.notices()).at(-1)).toBe(
      'Open this call’s own card first; it shows what Always would allow.',
    )
    await tap(bench, 'review')
    await bench.say('/always 3', eve)
    expect((await states(bench))[2]).toBe('approved')
  })

  test('APPR-16 what a message has no room for goes into a file with all of it, in which no question can pose as another', async () => {
    const lines = '\nQuestion 9 · bash\n    harmless'.repeat(20)
    await using bench = await asked(commands(7, `; cat <<'E'${lines}\nE`))
    const [batch] = await batches(bench)
    expect(batch?.batch.file).toMatchObject({ name: 'approvals-1-7.txt' })
    expect(batch?.batch.cards[6]?.what).toBe("touch 7; cat <<'E'…")
    const [file] = await bench.database.db.selectFrom('attachment').selectAll().execute()
    const text = file?.content.toString() ?? ''
    const headings = text.split('\n').filter((line) => !/^\d │ /.test(line) && line !== '')
    expect(headings).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) =>
        expect.stringMatching(`^Approval ${number} · bash · risk medium · 51 lines$`),
      ),
    )
    expect(text).toContain("7 │ touch 7; cat <<'E'\n7 │ Question 9 · bash\n")
  })

  test('APPR-16 what is too much for a file too is asked one by one', async () => {
    const large = { path: 'a', content: 'x'.repeat(4_000_000) }
    await using bench = await asked(Array.from({ length: 6 }, () => toRequest('write', large)))
    await bench.database.db.updateTable('tool_call').set({ preview: 'done' }).execute()
    await showReadyBatches(bench.ctx)
    const kinds = (await posted(bench)).map(({ kind }) => kind)
    expect(kinds).toEqual(Array(6).fill('card'))
  })

  test('APPR-02 the card waits until every diff on it has come, and has all of them', async () => {
    const edits = Array.from({ length: 6 }, (_, index) =>
      toRequest('write', { path: `${index}.txt`, content: 'new' }),
    )
    await using bench = await asked(edits)
    expect(bench.jobs).toHaveLength(6)
    for (const [index, call] of (await bench.calls()).entries()) {
      expect(await posted(bench)).toEqual([])
      await bench.result(
        call,
        { kind: 'preview', diff: `@@ -0,0 +1 @@\n+new ${index}\n`, baseSha256: sha256('') },
        index + 1,
      )
    }
    const [batch, ...others] = await posted(bench)
    expect(others).toEqual([])
    const whats = batch?.kind === 'batch' ? batch.batch.cards.map(({ what }) => what) : []
    expect(whats).toEqual(
      Array.from({ length: 6 }, (_, index) => expect.stringContaining(`+new ${index}`)),
    )
  })

  test('APPR-10 REL-01 a batch whose last diff nobody waits for any more is shown by the sweeper', async () => {
    const edits = Array.from({ length: 6 }, () => toRequest('write', { path: 'a', content: 'b' }))
    await using bench = await asked(edits)
    const [last, ...first] = (await bench.calls()).toReversed()
    const outcome = {
      kind: 'preview',
      diff: '@@ -0,0 +1 @@\n+b\n',
      baseSha256: sha256(''),
    } as const
    for (const [index, call] of first.toReversed().entries()) {
      await bench.result(call, outcome, index + 1)
    }
    await bench.say('/deny 6')
    expect(await batches(bench)).toEqual([])
    await showReadyBatches(bench.ctx)
    expect(last?.number).toBe(6)
    expect((await batches(bench)).map(({ kind }) => kind)).toEqual(['batch'])
    await showReadyBatches(bench.ctx)
    expect(await batches(bench)).toHaveLength(1)
  })

  test('THREAT-8 INT-16 a card whose sending was not recorded is a copy like any other, once somebody who may answers there', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    const [batch] = await batches(bench)
    const batchId = batch?.batch.batchId ?? ''
    await bench.act({ kind: 'batch', batchId, action: 'deny_all', messageId: '77' }, bob)
    const known = () =>
      bench.database.db
        .selectFrom('outbox')
        .select('id')
        .where('external_message_id', '=', '77')
        .execute()
    expect(await known()).toEqual([])
    await bench.act({ kind: 'batch', batchId, action: 'deny_all', messageId: '77' }, ada)
    const [copy] = await known()
    const edits = await bench.database.db
      .selectFrom('outbox')
      .selectAll()
      .where('edit_of', '=', copy?.id ?? 0)
      .execute()
    expect(edits).toHaveLength(1)
  })

  test('APPR-16 THREAT-8 one whose sending was not recorded may show a part only, unless it is approved by its own button', async () => {
    await using bench = await asked()
    const [batch] = await batches(bench)
    const batchId = batch?.batch.batchId ?? ''
    await bench.act({ kind: 'batch', batchId, action: 'review', messageId: '77' }, ada)
    const { db } = bench.database
    await db.updateTable('outbox').set({ state: 'dead' }).where('state', '=', 'pending').execute()
    await bench.act({ kind: 'message', text: '/approve all' })
    expect(await states(bench)).toEqual(Array(6).fill('pending'))
    await bench.act({ kind: 'batch', batchId, action: 'approve_all', messageId: '78' }, ada)
    expect(await states(bench)).toEqual(Array(6).fill('approved'))
  })

  test('APPR-20 APPR-05 one answer to 64 questions changes their card once', async () => {
    await using bench = await asked(commands(64))
    await showCards(bench.database.db)
    const before = (await posted(bench)).length
    await tap(bench, 'approve_all')
    expect((await posted(bench)).length - before).toBe(1)
  })
})

describe('words about several questions', () => {
  test('APPR-20 /approve all and /deny all answer what was shown before they were written', async () => {
    await using bench = await asked()
    await bench.say('/deny 1')
    await bench.say('/approve all')
    expect(await states(bench)).toEqual(['denied', ...Array<string>(5).fill('approved')])
    expect(await bench.notices()).toContain('2–6: Approved.')
    await bench.say('/deny all')
    expect(await bench.notices()).toContain('Nothing is waiting for an answer.')
    await using other = await asked()
    await other.say('/deny all too many')
    const rows = await other.database.db.selectFrom('approval').select('reason').execute()
    expect(rows).toEqual(Array(6).fill({ reason: 'too many' }))
  })

  test('APPR-09 /approvals shows the card of all of them once more, and not one for each', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    await bench.say('/approvals')
    const kinds = (await posted(bench)).map(({ kind }) => kind)
    expect(kinds).toEqual(['batch', 'batch', 'notice'])
    expect((await bench.notices()).at(-1)).toMatch(/^6 approvals are waiting:\n1 {2}bash/)
  })

  test('APPR-08 one reminder tells of all of them', async () => {
    await using bench = await asked(commands(6), {}, { remindAfterMs: 1 })
    await showCards(bench.database.db)
    await remindOfApprovals(bench.ctx)
    const said = await bench.notices()
    expect(said).toEqual([
      expect.stringMatching(/^Approvals 1–6 are still waiting for answers, until /),
    ])
  })

  test('CHAT-06 a card that cannot be shown says how to refuse all of them', async () => {
    await using bench = await asked()
    const platform = createRecordingPlatform('test', (message) =>
      message.kind === 'batch' ? { kind: 'refused', why: 'too long' } : undefined,
    )
    await deliverAll(bench.ctx, platform)
    await deliverAll(bench.ctx, platform)
    expect(platform.texts()).toEqual([
      'Approvals 1–6 could not be shown here. /deny all denies them; /approvals tries to show them again.',
    ])
  })

  test('CHAT-08 a message that comes meanwhile is told on the card', async () => {
    await using bench = await asked()
    await showCards(bench.database.db)
    await bench.say('and hurry')
    const last = (await batches(bench)).at(-1)
    expect(last?.batch.cards.map(({ messagesKept }) => messagesKept)).toEqual(Array(6).fill(1))
  })

  test('THREAT-8 a button does what it was made for, and its row names exactly one thing', async () => {
    await using bench = await asked()
    const [batch] = await batches(bench)
    const values = (action: string, id: string) => sql`
      insert into callback_token (token_sha256, batch_id, action, conversation_id)
      select ${id}, ${batch?.batch.batchId}::uuid, ${action}, id from conversation`
    await values('approve_all', 'a').execute(bench.database.db)
    await expect(values('approve', 'b').execute(bench.database.db)).rejects.toThrow('one_target')
    await expect(values('revoke', 'c').execute(bench.database.db)).rejects.toThrow('one_target')
  })
})

describe('CARD-04 the groups of a batch card', () => {
  const mixed = [
    ...commands(3),
    ...['a', 'b', 'c'].map((name) => toRequest('delete_path', { path: `src/${name}.ts` })),
  ]

  /** Delivers the card; taps the buttons of the group of an approval by their tokens. */
  async function delivered() {
    const bench = await asked(mixed)
    const { db } = bench.database
    const ctx = { ...bench.ctx, people: { test: { users: [], approvers: [], operators: [] } } }
    await savePairedRole(db, ada, 'approver')
    const { id: conversation, external_id: place } = await db
      .selectFrom('conversation')
      .selectAll()
      .executeTakeFirstOrThrow()
    const minted = new Map<number, Readonly<Record<GroupAnswer, string>>>()
    const platform: ChatPlatform = {
      name: 'test',
      live: () => undefined,
      deliver: async (_, message, context) => {
        if (message.kind === 'batch' || message.kind === 'batch_update')
          for (const { number, approvalId } of message.batch.cards)
            minted.set(number, await context.mintTokens(approvalId, groupAnswers))
        return { kind: 'sent', messageId: '41' }
      },
    }
    const deliver = () => deliverConversation(ctx, platform, conversation)
    await deliver()
    let events = 0
    const tapGroup = async (number: number, action: GroupAnswer) => {
      events += 1
      const taken = await takeIncoming(ctx, {
        platform: 'test',
        externalId: `tap ${events}`,
        place,
        isPrivate: true,
        from: { id: ada.id, name: ada.name },
        act: {
          kind: 'tap',
          token: minted.get(number)?.[action] ?? '',
          messageId: '41',
          isThere: true,
        },
      })
      expect(taken.kind).toBe('stored')
      await handleInbox(ctx, conversation)
      const row = await db
        .selectFrom('inbound_event')
        .select('answer')
        .where('external_id', '=', `tap ${events}`)
        .executeTakeFirstOrThrow()
      return JSON.parse(row.answer ?? '{}')
    }
    return Object.assign(bench, { deliver, tapGroup })
  }

  test('CARD-04 APPR-20 a tap on the button of a group answers its calls and no others', async () => {
    await using bench = await delivered()
    expect(await bench.tapGroup(4, 'deny_group')).toEqual({ text: '4–6: Denied.', alert: false })
    expect(await states(bench)).toEqual([...Array(3).fill('pending'), ...Array(3).fill('denied')])
    expect(await bench.tapGroup(4, 'approve_group')).toMatchObject({ alert: true })
    expect(await bench.tapGroup(1, 'approve_group')).toEqual({
      text: '1–3: Approved.',
      alert: false,
    })
    expect(await states(bench)).toEqual([...Array(3).fill('approved'), ...Array(3).fill('denied')])
  })

  test('CARD-03 CARD-04 right after an edit has moved the buttons, a group is not approved, but may be denied', async () => {
    await using bench = await delivered()
    const { db } = bench.database
    const wait = sql`make_interval(secs => 60)`
    await sql`update outbox set sent_at = sent_at - ${wait}`.execute(db)
    await sql`update callback_token set created_at = created_at - ${wait}`.execute(db)
    await bench.tapGroup(4, 'deny_group')
    await bench.deliver()
    await sql`update outbox set sent_at = sent_at + ${wait} where edit_of is not null`.execute(db)
    expect(await bench.tapGroup(1, 'approve_group')).toEqual({
      text: 'The buttons just changed: tap again.',
      alert: true,
    })
    expect((await states(bench)).slice(0, 3)).toEqual(Array(3).fill('pending'))
    expect(await bench.tapGroup(1, 'deny_group')).toMatchObject({ alert: false })
  })

  test('CARD-04 APPR-20 /approve and /deny take a range of numbers', async () => {
    await using bench = await asked(mixed)
    await showCards(bench.database.db)
    await bench.say('/approve 4-6')
    expect(await states(bench)).toEqual([...Array(3).fill('pending'), ...Array(3).fill('approved')])
    await bench.say('/deny 1-2 too many')
    expect(await states(bench)).toEqual([
      ...['denied', 'denied', 'pending'],
      ...Array(3).fill('approved'),
    ])
  })
})
