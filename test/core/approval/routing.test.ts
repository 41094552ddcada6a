import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { findConversation } from '../../../src/db/turn/conversations.ts'
import { ada, bob, eve, showCards } from '../../support/bench-context.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { toRequest } from '../../support/scripted-model.ts'
import { olga, openAsked, posted, questionOf, write } from './asked-elsewhere.ts'

const approve = { kind: 'approve' } as const
const toApprovers = { route: 'approver' } as const
const back = [
  'room: card',
  'room: Approval 1 (bash) has reached nobody yet, so the card is shown here as well.',
]
const asked =
  'room: Approval 1 (bash) is waiting for Eve or Olga, asked in private. /approvals shows the card here.'

describe('cards in the private chats of approvers', () => {
  test('APPR-18 each who may approve gets one, the room is told whom it waits for; the first answer wins on all copies', async () => {
    await using bench = await openAsked({ routing: toApprovers })
    expect(await posted(bench)).toEqual(['Eve: card', 'Olga: card', asked])
    await showCards(bench.database.db)
    const { id } = await questionOf(bench)
    expect(await decide(bench.ctx, id, eve, approve)).toMatchObject({ kind: 'applied' })
    expect(await decide(bench.ctx, id, olga, approve)).toMatchObject({ kind: 'late' })
    expect((await posted(bench)).slice(3)).toEqual([
      'Eve: edit to approved',
      'Olga: edit to approved',
    ])
    await bench.step()
    expect(bench.jobs).toHaveLength(1)
  })

  test('APPR-18 APPR-17 only those get one who may approve this tier, and nobody by an old role', async () => {
    const roles = { low: 'user', medium: 'operator', high: 'user' } as const
    await using bench = await openAsked({
      routing: toApprovers,
      approvers: { roles },
      reachable: [eve, olga, bob],
    })
    expect(await posted(bench)).toEqual([
      'Olga: card',
      'room: Approval 1 (bash) is waiting for Olga, asked in private. /approvals shows the card here.',
    ])
  })

  test('APPR-18 where nobody is reached that way the card is in the room, which says so', async () => {
    await using bench = await openAsked({ routing: toApprovers, reachable: [] })
    expect(await posted(bench)).toEqual([
      'room: card',
      'room: Approval 1 (bash) needs one person to approve it, and nobody can be reached in private: the card is here as well.',
    ])
  })

  test('APPR-18 APPR-12 nor are two asked where one is reached: it is in both places', async () => {
    const people = { low: 2, medium: 2, high: 2 }
    await using bench = await openAsked({
      routing: toApprovers,
      approvers: { people },
      reachable: [eve],
    })
    expect(await posted(bench)).toEqual([
      'Eve: card',
      'room: card',
      'room: Approval 1 (bash) needs two people to approve it, and one person can be reached in private: the card is here as well.',
    ])
  })

  test('APPR-18 the diff of an edit is waited for, then it goes the same way', async () => {
    await using bench = await openAsked({
      routing: toApprovers,
      request: toRequest('write', { path: '/workspace/.env.example', content: 'x' }),
    })
    bench.rules.text = '{"*": "ask"}'
    await bench.say('/stop')
    await bench.say('hi')
    await bench.step()
    const sent = (await posted(bench)).length
    const call = (await bench.calls()).at(-1)
    if (call === undefined) throw new Error('no call')
    await bench.result(call, { kind: 'preview', diff: '+x', baseSha256: 'a'.repeat(64) }, 1)
    expect((await posted(bench)).slice(sent)).toEqual([
      'Eve: card',
      'Olga: card',
      expect.stringMatching(/^room: Approval \d \(write\) is waiting for Eve or Olga/),
    ])
  })

  test('APPR-18 APPR-16 where it was not shown it is not approved: /approvals shows it there, for who may answer', async () => {
    await using bench = await openAsked({ routing: toApprovers })
    await bench.say('/approve 1')
    expect((await posted(bench)).at(-1)).toBe(
      'room: The card is shown in another chat; /approvals shows it here first.',
    )
    await bench.say('/approvals', bob)
    expect((await posted(bench)).at(-1)).toBe(
      'room: One approval is waiting:\n1  bash: Ada or an approver',
    )
    expect((await posted(bench)).filter((line) => line === 'room: card')).toEqual([])
    await bench.say('/approvals')
    expect((await posted(bench)).at(-2)).toBe('room: card')
    await bench.say('/approve 1')
    expect(await questionOf(bench)).toMatchObject({ state: 'approved', decided_by: ada.id })
  })

  test('APPR-09 APPR-18 /approvals in an approver’s private chat lists what was asked elsewhere', async () => {
    await using bench = await openAsked({ routing: toApprovers })
    await write(bench, 'Eve', eve, '/approvals')
    expect((await posted(bench)).slice(3)).toEqual([
      'Eve: card',
      'Eve: One approval is waiting:\n1  bash: Ada or an approver, requested by Ada in another chat',
    ])
    await write(bench, 'Bob', bob, '/approvals')
    expect((await posted(bench)).at(-1)).toBe('Bob: Nothing is waiting for an answer.')
  })

  test('APPR-18 where the platform refuses all of them it comes back to the room', async () => {
    await using bench = await openAsked({ routing: toApprovers })
    const { db } = bench.database
    const platform = createRecordingPlatform('test', () => ({ kind: 'refused', why: 'blocked' }))
    const deliver = async (place: string) => {
      const conversation = await findConversation(db, 'test', place)
      await deliverConversation(bench.ctx, platform, conversation?.id ?? '')
    }
    await deliver('Eve')
    await sweep(bench.ctx, new Date(0))
    expect(await posted(bench)).toHaveLength(3)
    await deliver('Olga')
    await Promise.all([sweep(bench.ctx, new Date(0)), sweep(bench.another(), new Date(0))])
    expect((await posted(bench)).slice(3)).toEqual(back)
  })

  test('APPR-18 so it does where nobody serves their platform', async () => {
    await using bench = await openAsked({ routing: toApprovers })
    const { db } = bench.database
    await sweep(bench.ctx, new Date(0))
    expect(await posted(bench)).toHaveLength(3)
    await sql`update approval set created_at = to_timestamp(0)`.execute(db)
    await sweep(bench.ctx, new Date(0))
    await sweep(bench.ctx, new Date(0))
    expect((await posted(bench)).slice(3)).toEqual(back)
  })

  test('APPR-18 what one of them was shown stays there', async () => {
    await using bench = await openAsked({ routing: toApprovers })
    const { db } = bench.database
    await showCards(db)
    await sql`update approval set created_at = to_timestamp(0)`.execute(db)
    await sweep(bench.ctx, new Date(0))
    expect(await posted(bench)).toHaveLength(3)
  })

  test('APPR-08 APPR-19 reminders come where the copies are, and where it was asked', async () => {
    await using bench = await openAsked({ routing: toApprovers, remindAfterMs: 60_000 })
    await bench.database.db
      .updateTable('approval')
      .set({ remind_at: new Date(0) })
      .execute()
    await sweep(bench.ctx, new Date(0))
    await sweep(bench.ctx, new Date(0))
    const reminders = (await posted(bench)).slice(3).map((line) => line.replace(/, until.*/, ''))
    expect(reminders.toSorted()).toEqual([
      'Eve: Approval 1 (bash) for Ada is still waiting for an answer',
      'Olga: Approval 1 (bash) for Ada is still waiting for an answer',
      'room: Approval 1 (bash) is still waiting for an answer',
    ])
  })
})

describe('cards in a channel', () => {
  const inChannel = { route: 'channel', channel: 'test:approvers' } as const

  test('APPR-18 it is there and not in the room; only who may answers, also there', async () => {
    await using bench = await openAsked({ routing: inChannel })
    expect(await posted(bench)).toEqual([
      'approvers: card',
      'room: Approval 1 (bash) is waiting in the approvers’ channel. /approvals shows the card here.',
    ])
    await showCards(bench.database.db)
    const { id } = await questionOf(bench)
    expect(await decide(bench.ctx, id, bob, approve)).toMatchObject({ kind: 'forbidden' })
    expect(await decide(bench.ctx, id, eve, approve)).toMatchObject({ kind: 'applied' })
    expect((await posted(bench)).at(-1)).toBe('approvers: edit to approved')
  })

  test('APPR-18 what was asked in it stays in it, and a channel that cannot be one is the room', async () => {
    for (const channel of ['test:room', 'nowhere']) {
      await using bench = await openAsked({ routing: { route: 'channel', channel } })
      expect(await posted(bench)).toEqual(['room: card'])
    }
  })
})
