import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { sweep } from '../../../src/core/turn/sweep.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { ada, type BenchContext, bob, eve, showCards } from '../../support/bench-context.ts'
import { olga, openAsked, openPlace, posted, questionOf, write } from './asked-elsewhere.ts'

const hourMs = 3_600_000
const longAgo = new Date(0)
const approve = { kind: 'approve' } as const
const toEveThenOlga = { escalateTo: [eve.id, olga.id], escalateAfterMs: hourMs }

/** As when `escalate_after` has gone by since the last step. */
async function later(bench: BenchContext): Promise<void> {
  await bench.database.db
    .updateTable('approval')
    .set({ escalate_at: longAgo })
    .where('escalate_at', 'is not', null)
    .execute()
  await sweep(bench.ctx, longAgo)
  await sweep(bench.another(), longAgo)
}

describe('the next approver', () => {
  test('CARD-08 APPR-19 is asked after escalate_after, one after the other, once each, in private; it is audited', async () => {
    await using bench = await openAsked({ routing: toEveThenOlga })
    const { escalate_at, created_at } = await questionOf(bench)
    expect((escalate_at?.getTime() ?? 0) - created_at.getTime()).toBe(hourMs)
    await sweep(bench.ctx, longAgo)
    expect(await posted(bench)).toEqual(['room: card'])
    await later(bench)
    const first = ['Eve: card', 'room: Approval 1 (bash) is now waiting for Eve as well.']
    expect((await posted(bench)).slice(1)).toEqual(first)
    await later(bench)
    const second = ['Olga: card', 'room: Approval 1 (bash) is now waiting for Olga as well.']
    expect((await posted(bench)).slice(1)).toEqual([...first, ...second])
    await later(bench)
    expect((await posted(bench)).slice(1)).toEqual([...first, ...second])
    const rows = (await auditRows(bench.database.db)).filter((row) => row.kind === 'command')
    expect(rows.map(({ body }) => JSON.parse(body).note)).toEqual([
      'question 1 escalated to test:eve',
      'question 1 escalated to test:olga',
    ])
    await showCards(bench.database.db)
    await decide(bench.ctx, (await questionOf(bench)).id, ada, approve)
    expect((await posted(bench)).slice(5)).toEqual([
      'room: edit to approved',
      'Eve: edit to approved',
      'Olga: edit to approved',
    ])
  })

  test('APPR-19 APPR-17 a user who was asked by name may answer from then on, where a user may', async () => {
    const routing = { escalateTo: [bob.id], escalateAfterMs: hourMs }
    await using bench = await openAsked({ routing, reachable: [bob] })
    await showCards(bench.database.db)
    const { id } = await questionOf(bench)
    expect(await decide(bench.ctx, id, bob, approve)).toMatchObject({ kind: 'forbidden' })
    await later(bench)
    expect(await decide(bench.ctx, id, bob, approve)).toMatchObject({ kind: 'applied' })
    await bench.step()
    expect(bench.jobs).toHaveLength(1)
  })

  test('APPR-19 APPR-17 whoever may not approve it, is unknown or cannot be reached is passed over', async () => {
    const roles = { low: 'user', medium: 'approver', high: 'user' } as const
    const routing = {
      escalateTo: [bob.id, 'test:nobody', eve.id, olga.id],
      escalateAfterMs: hourMs,
    }
    await using bench = await openAsked({ routing, approvers: { roles }, reachable: [bob, olga] })
    await later(bench)
    expect((await posted(bench)).slice(1)).toEqual([
      'Olga: card',
      'room: Approval 1 (bash) is now waiting for Olga as well.',
    ])
    expect(await questionOf(bench)).toMatchObject({ escalated: 4, escalate_at: null })
  })

  test('APPR-19 nobody is asked about what was answered meanwhile, nor where nothing is named', async () => {
    await using bench = await openAsked({ routing: toEveThenOlga })
    await bench.say('/deny 1')
    await later(bench)
    expect((await posted(bench)).filter((line) => line.startsWith('Eve'))).toEqual([])
    await using other = await openAsked({ routing: { escalateAfterMs: hourMs } })
    expect((await questionOf(other)).escalate_at).toBeNull()
  })

  test('APPR-19 INT-39 two agents’ sweeps at once ask one person once', async () => {
    await using bench = await openAsked({ routing: toEveThenOlga })
    await bench.database.db.updateTable('approval').set({ escalate_at: longAgo }).execute()
    await Promise.all([sweep(bench.ctx, longAgo), sweep(bench.another(), longAgo)])
    expect((await posted(bench)).filter((line) => line === 'Eve: card')).toHaveLength(1)
    expect((await questionOf(bench)).escalated).toBe(1)
  })
})

describe('away', () => {
  const routing = { route: 'approver', escalateTo: [bob.id], escalateAfterMs: undefined } as const
  const ask = async (bench: BenchContext): Promise<readonly string[]> => {
    const before = (await posted(bench)).length
    await bench.say('hi')
    await bench.step()
    return (await posted(bench)).slice(before)
  }

  test('APPR-19 cards pass over whoever is away, the next is asked at once, until they are back', async () => {
    await using bench = await openPlace({ routing, reachable: [eve, olga, bob] })
    await write(bench, 'Eve', eve, '/away 2h')
    expect((await posted(bench)).at(-1)).toMatch(
      /^Eve: You are away until \d+ \w+ [\d: ]+UTC: approvals are not sent to you, and the next person is asked instead\.$/,
    )
    expect(await ask(bench)).toEqual([
      'Olga: card',
      'room: Approval 1 (bash) is waiting for Olga, asked in private. /approvals shows the card here.',
      'Bob: card',
      'room: Approval 1 (bash) is now waiting for Bob as well.',
    ])
    await bench.say('/stop')
    await write(bench, 'Eve', eve, '/back')
    expect((await posted(bench)).at(-1)).toBe('Eve: Welcome back: approvals are sent to you again.')
    expect((await ask(bench)).filter((line) => line.endsWith(': card'))).toEqual([
      'Eve: card',
      'Olga: card',
    ])
  })

  test('APPR-19 what they were shown already is handed over', async () => {
    await using bench = await openPlace({ routing, reachable: [eve, olga, bob] })
    await ask(bench)
    await write(bench, 'Eve', eve, '/away')
    expect((await posted(bench)).at(-1)).toBe(
      'Eve: You are away until /back: approvals are not sent to you, and the next person is asked instead, also about 1 that you were shown.',
    )
    await sweep(bench.ctx, longAgo)
    expect((await posted(bench)).filter((line) => line === 'Bob: card')).toHaveLength(1)
  })

  test('APPR-19 it ends by itself', async () => {
    await using bench = await openPlace({ routing, reachable: [eve] })
    await write(bench, 'Eve', eve, '/away 1m')
    await bench.database.db
      .updateTable('caller')
      .set({ away_until: longAgo })
      .where('away_until', 'is not', null)
      .execute()
    expect(await ask(bench)).toContain('Eve: card')
    await write(bench, 'Eve', eve, '/back')
    expect((await posted(bench)).at(-1)).toBe('Eve: You were not away.')
  })

  test.each([
    [bob, '/away', 'Only people who answer the approvals of others can be away.'],
    [
      eve,
      '/away soon',
      'Say how long, as in /away 30m, /away 2h or /away 3d; without a time, it is until /back.',
    ],
    [
      eve,
      '/away 0h',
      'Say how long, as in /away 30m, /away 2h or /away 3d; without a time, it is until /back.',
    ],
  ] as const)('APPR-19 %o %s is answered with what helps', async (by: Caller, text, words) => {
    await using bench = await openPlace({ routing: { route: 'approver' } })
    await write(bench, 'elsewhere', by, text)
    expect((await posted(bench)).at(-1)).toBe(`elsewhere: ${words}`)
  })
})
