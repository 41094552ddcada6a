import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import type { CoreSettings } from '../../../src/core/context.ts'
import { savePrivateConversation } from '../../../src/db/outbox/reach.ts'
import { linkAccounts, unlinkAccount } from '../../../src/db/people/caller-links.ts'
import { saveCaller } from '../../../src/db/people/callers.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { ada, type BenchContext, bob, eve, here, showCards } from '../../support/bench-context.ts'
import { openAsked, openPlace, posted, questionOf, write } from './asked-elsewhere.ts'

/** Other accounts: of Ada one that talks and one that approves, of Eve one that approves too. */
const adaToo: Caller = { id: 'other:ada', name: 'Ada B.', role: 'user' }
const adaApproves: Caller = { id: 'third:ada', name: 'Ada C.', role: 'approver' }
const eveToo: Caller = { id: 'other:eve', name: 'Eve B.', role: 'approver' }
const olga: Caller = { id: 'test:olga', name: 'Olga', role: 'operator' }

const approve = { kind: 'approve' } as const
const always = { kind: 'always' } as const
const two = { people: { low: 2, medium: 2, high: 2 } }

async function asked(approvers: Partial<CoreSettings['approvers']> = {}): Promise<BenchContext> {
  const bench = await openAsked({ approvers })
  for (const caller of [adaToo, adaApproves, eveToo]) await saveCaller(bench.database.db, caller)
  await showCards(bench.database.db)
  return bench
}

async function answer(bench: BenchContext, by: Caller, decision: Parameters<typeof decide>[3]) {
  await showCards(bench.database.db)
  return decide(bench.ctx, (await questionOf(bench)).id, by, decision)
}

/** They have written to us in a private chat, at the place of their name. */
async function reach({ database: { db } }: BenchContext, ...people: readonly Caller[]) {
  for (const caller of people) {
    await saveCaller(db, caller)
    const { id } = await ensureConversation(db, 'test', caller.name)
    await savePrivateConversation(db, caller.id, id)
  }
}

function link({ database }: BenchContext, one: Caller, other: Caller) {
  return linkAccounts(database.db, [one.id, other.id], other.id)
}

describe('a quorum', () => {
  test('APPR-12 INT-26 counts two accounts of one person once, whichever answers second', async () => {
    await using bench = await asked(two)
    await link(bench, eve, eveToo)
    expect(await answer(bench, eve, approve)).toMatchObject({ kind: 'applied' })
    expect(await answer(bench, eveToo, approve)).toEqual({
      kind: 'late',
      text: 'Your approval already counts: 1 of 2 approved.',
    })
    expect((await questionOf(bench)).state).toBe('pending')
    expect(await answer(bench, olga, approve)).toMatchObject({ kind: 'applied', text: 'Approved.' })
    const voters = await bench.database.db.selectFrom('approval_vote').select('caller_id').execute()
    expect(voters.map((row) => row.caller_id).sort()).toEqual([eve.id, olga.id])
  })

  test('APPR-12 counts those once who are linked by way of a third account', async () => {
    await using bench = await asked(two)
    await link(bench, eve, adaApproves)
    await link(bench, adaApproves, eveToo)
    await answer(bench, eve, approve)
    expect(await answer(bench, eveToo, approve)).toMatchObject({ kind: 'late' })
  })

  test('APPR-12 INT-26 that was reached by two who turn out to be one lets nothing run, and asks anew', async () => {
    await using bench = await asked(two)
    await answer(bench, eve, approve)
    await answer(bench, eveToo, approve)
    const first = await questionOf(bench)
    expect(first.state).toBe('approved')
    await link(bench, eve, eveToo)
    await bench.step()
    expect(bench.jobs).toHaveLength(0)
    const next = await questionOf(bench)
    expect([next.number, next.state]).toEqual([first.number + 1, 'pending'])
  })

  test('APPR-12 counts both again once the link is ended, also for a card that waits', async () => {
    await using bench = await asked(two)
    await link(bench, eve, eveToo)
    await answer(bench, eve, approve)
    await answer(bench, eveToo, approve)
    await unlinkAccount(bench.database.db, eveToo.id)
    expect(await answer(bench, eveToo, approve)).toMatchObject({
      kind: 'applied',
      text: 'Approved.',
    })
  })

  test('APPR-12 ERR-07 that only one person with two accounts could reach is not asked for', async () => {
    await using bench = await openPlace({
      approvers: { ...two, allowSelf: false },
      reachable: [],
    })
    const { db } = bench.database
    await db.deleteFrom('caller').where('id', 'not in', [ada.id, bob.id, eve.id]).execute()
    await saveCaller(db, eveToo)
    await link(bench, eve, eveToo)
    await bench.say('hi')
    await bench.step()
    const [call] = await bench.calls()
    expect(call?.error_category).toBe('confirmation_required')
    expect(call?.result).toContain('only one person could')
  })
})

describe('one’s own calls', () => {
  test('APPR-17 stay one’s own by another account, with whatever role: who may not approve them, may not', async () => {
    await using bench = await asked({ allowSelf: false })
    expect(await link(bench, ada, adaApproves)).toBe(true)
    for (const decision of [approve, always]) {
      expect(await answer(bench, adaApproves, decision)).toMatchObject({ kind: 'forbidden' })
    }
    expect((await questionOf(bench)).state).toBe('pending')
    await unlinkAccount(bench.database.db, adaApproves.id)
    expect(await answer(bench, adaApproves, approve)).toMatchObject({ kind: 'applied' })
  })

  test('APPR-18 CHAT-02 may be answered by the other account, which nobody else may; the audit names the account', async () => {
    await using bench = await asked()
    expect(await answer(bench, adaToo, approve)).toMatchObject({ kind: 'forbidden' })
    await link(bench, ada, adaToo)
    expect(await answer(bench, bob, approve)).toMatchObject({ kind: 'forbidden' })
    expect(await answer(bench, adaToo, approve)).toMatchObject({ kind: 'applied' })
    await bench.step()
    expect(bench.jobs).toHaveLength(1)
    const rows = (await auditRows(bench.database.db))
      .filter((row) => row.kind === 'decided')
      .map(({ caller_id, decided_by }) => ({ caller_id, decided_by }))
    expect(rows).toEqual([{ caller_id: ada.id, decided_by: adaToo.id }])
  })

  test('APPR-18 cannot be answered by the other account any more from the moment the link is ended', async () => {
    await using bench = await asked()
    await link(bench, ada, adaToo)
    await unlinkAccount(bench.database.db, ada.id)
    expect(await answer(bench, adaToo, approve)).toMatchObject({ kind: 'forbidden' })
    expect(await answer(bench, adaToo, { kind: 'deny' })).toMatchObject({ kind: 'forbidden' })
  })
})

describe('a role', () => {
  test('APPR-17 CHAT-01 is that of the account that answers, however high another of the person is', async () => {
    await using bench = await asked({
      roles: { low: 'approver', medium: 'approver', high: 'operator' },
    })
    await link(bench, adaToo, adaApproves)
    expect(await answer(bench, adaToo, approve)).toMatchObject({ kind: 'forbidden' })
    expect(await answer(bench, adaApproves, approve)).toMatchObject({ kind: 'applied' })
  })

  test('APPR-07 of a user makes no rule for everybody, though the person’s other account could', async () => {
    await using bench = await asked()
    await link(bench, ada, adaApproves)
    expect(await answer(bench, ada, always)).toMatchObject({ kind: 'applied' })
    expect((await questionOf(bench)).always_effect).toBe('session')
  })
})

describe('where questions are shown', () => {
  test('APPR-18 /approvals shows what was asked by the other account, where nobody else reads', async () => {
    await using bench = await openAsked({})
    await reach(bench, adaToo, bob)
    await link(bench, ada, adaToo)
    await write(bench, adaToo.name, adaToo, '/approvals')
    await write(bench, bob.name, bob, '/approvals')
    await write(bench, 'a group', adaToo, '/approvals')
    const told = await posted(bench)
    expect(told).toContainEqual(
      expect.stringMatching(
        /^Ada B\.: One approval is waiting:\n.*requested by Ada in another chat/s,
      ),
    )
    expect(told).toContain('Ada B.: card')
    expect(told).toContain('Bob: Nothing is waiting for an answer.')
    expect(told).toContain('a group: Nothing is waiting for an answer.')
  })

  test('APPR-18 APPR-12 an approver is asked in each of their private chats, and is one of those who must be reached', async () => {
    const routing = { ...here, route: 'approver' as const }
    await using bench = await openPlace({ approvers: two, routing, reachable: [] })
    await reach(bench, eve, eveToo)
    await link(bench, eve, eveToo)
    await bench.say('hi')
    await bench.step()
    const told = await posted(bench)
    expect(told.filter((each) => each.endsWith(': card')).sort()).toEqual(
      expect.arrayContaining(['Eve B.: card', 'Eve: card']),
    )
    expect(told.join('\n')).toContain(
      'needs two people to approve it, and one person can be reached',
    )
  })
})
