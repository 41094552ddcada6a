import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { takeGrantUses } from '../../../src/db/approval/grants.ts'
import { inTransaction } from '../../../src/db/database.ts'
import type { Db } from '../../../src/db/schema.ts'
import type { GrantEnd } from '../../../src/domain/grant-life.ts'
import { newId } from '../../../src/util/ids.ts'
import { firstAuditRow } from '../../support/audit-rows.ts'
import {
  ada,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  ok,
  showCards,
} from '../../support/bench-context.ts'
import {
  calls as batchOf,
  type calls,
  createScriptedModel,
  say,
  toRequest,
} from '../../support/scripted-model.ts'

const longAgo = new Date(0)
const count = (name: string) => toRequest('bash', { command: `wc -c ${name}` })
const answers = (first: ReturnType<typeof calls>) =>
  createScriptedModel((request) => (request.messages.at(-1)?.role === 'user' ? first : say('done')))

function benchOf(...names: readonly string[]): Promise<BenchContext> {
  return createBenchContext(answers(batchOf(names.map(count))))
}

async function approvals(bench: BenchContext) {
  return bench.database.db.selectFrom('approval').selectAll().orderBy('number').execute()
}

async function grants(bench: BenchContext) {
  return bench.database.db.selectFrom('grant_rule').selectAll().orderBy('number').execute()
}

async function answer(bench: BenchContext, number: number, life?: GrantEnd, by = ada) {
  await showCards(bench.database.db)
  const approval = (await approvals(bench)).find((row) => row.number === number)
  const decision = { kind: 'always', ...(life === undefined ? {} : { life }) } as const
  return decide(bench.ctx, approval?.id ?? '', by, decision)
}

async function waitingForLocks(db: Db): Promise<number> {
  const { rows } = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}

/** Lets everything run that may, until nothing moves any more. */
async function settle(bench: BenchContext): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    await bench.step()
    const sent = (await bench.calls()).filter(({ state }) => state === 'queued')
    for (const row of sent) await bench.result(row, ok)
    if (sent.length === 0) return
  }
}

/** A whole turn; answers the states of its calls. */
async function turn(bench: BenchContext, text = 'hi'): Promise<string[]> {
  const before = (await bench.calls()).length
  await bench.say(text)
  await settle(bench)
  return (await bench.calls()).slice(before).map(({ state }) => state)
}

describe('how long a grant lives', () => {
  test('APPR-15 5×: five more calls run without being asked about, the sixth asks', async () => {
    await using bench = await benchOf('a')
    await turn(bench)
    expect(await answer(bench, 1, '5x')).toMatchObject({ text: 'Approved, 5 more times.' })
    await settle(bench)
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([5])
    for (let time = 4; time >= 0; time -= 1) {
      expect(await turn(bench)).toEqual(['succeeded'])
      expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([time])
    }
    expect(await turn(bench)).toEqual(['awaiting_approval'])
  })

  test.each(['turn', '15m', '5x', undefined] as const)(
    'APPR-07 APPR-15 what was granted (%s) wins over the questions alone that its call met, now and by the cascade',
    async (life) => {
      const lines = ['wc -c a', 'wc -c b', 'wc -l c']
      const model = answers(batchOf(lines.map((command) => toRequest('bash', { command }))))
      await using bench = await createBenchContext(model)
      bench.rules.text = '{"*": "ask", "bash": {"*": "ask", "wc *": "ask", "* -l *": "ask"}}'
      await turn(bench)
      await answer(bench, 1, life, life === undefined ? eve : ada)
      await settle(bench)
      const states = ['succeeded', 'succeeded', 'awaiting_approval']
      expect((await bench.calls()).map(({ state }) => state)).toEqual(states)
      const over = 'over ["worker: bash \\"wc *\\" ask"]\n    "wc *": "allow"'
      if (life === undefined) expect(bench.rules.text).toContain(over)
      else expect((await grants(bench))[0]?.beats).toBe('["worker: bash \\"wc *\\" ask"]')
      if (life === 'turn') return
      await answer(bench, 3)
      await settle(bench)
      // Both are asked about by one rule more than before.
      bench.rules.text = bench.rules.text.replace('"* -l *"', '"wc -*": "ask", "* -l *"')
      expect(await turn(bench, 'again')).toEqual(Array(3).fill('awaiting_approval'))
    },
  )

  test('APPR-15 two calls of one batch and one use left: one runs, the other asks at once', async () => {
    await using bench = await benchOf('a', 'b')
    await turn(bench)
    await answer(bench, 1, '5x')
    await settle(bench)
    await bench.database.db.updateTable('grant_rule').set({ uses_left: 1 }).execute()
    await bench.say('hi')
    await bench.step()
    expect((await bench.calls()).slice(2).map(({ state }) => state)).toEqual([
      'queued',
      'awaiting_approval',
    ])
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([0])
    const [waiting] = (await approvals(bench)).filter(({ state }) => state === 'pending')
    expect(JSON.parse(waiting?.card ?? '').reasons).not.toEqual([])
  })

  test('APPR-15 a use that went to another call meanwhile is not taken twice: what was allowed asks', async () => {
    await using bench = await benchOf('a', 'b', 'c')
    await turn(bench)
    await answer(bench, 1, '5x')
    await bench.step()
    // One runs, two are allowed by the grant and wait for their turn; the uses are gone before it comes.
    expect((await bench.calls()).map(({ state }) => state)).toEqual([
      'queued',
      'allowed',
      'allowed',
    ])
    await bench.database.db.updateTable('grant_rule').set({ uses_left: 1 }).execute()
    await settle(bench)
    expect((await bench.calls()).map(({ state }) => state)).toEqual([
      'succeeded',
      'succeeded',
      'awaiting_approval',
    ])
    expect((await approvals(bench)).map(({ state }) => state)).toEqual([
      'approved',
      'granted',
      'superseded',
      'pending',
    ])
  })

  test('APPR-15 twenty processes and one use left: one of them takes it', async () => {
    await using bench = await benchOf('a')
    await turn(bench)
    await answer(bench, 1, '5x')
    const { db } = bench.database
    await db.updateTable('grant_rule').set({ uses_left: 1 }).execute()
    const id = (await grants(bench))[0]?.id ?? ''
    const took = await Promise.all(
      Array.from({ length: 20 }, () => inTransaction(db, (one) => takeGrantUses(one, [id]))),
    )
    expect(took.filter(Boolean)).toHaveLength(1)
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([0])
  })

  test('APPR-15 APPR-17 POL-06 what people approved goes by itself: it names no grant that holds besides, and takes no use', async () => {
    await using bench = await benchOf('a', 'b')
    await turn(bench)
    await answer(bench, 1, '5x')
    await settle(bench)
    await bench.database.db.updateTable('grant_rule').set({ expires_at: longAgo }).execute()
    await bench.say('hi')
    await bench.step()
    await showCards(bench.database.db)
    const waiting = (await approvals(bench)).find(({ state }) => state === 'pending')
    await decide(bench.ctx, waiting?.id ?? '', ada, { kind: 'approve' })
    await bench.database.db.updateTable('grant_rule').set({ expires_at: null }).execute()
    await bench.step()
    const sent = (await bench.calls()).find(({ state }) => state === 'queued')
    expect(JSON.parse(sent?.verdict ?? '')).toMatchObject({ action: 'ask' })
    expect(JSON.parse(sent?.verdict ?? '')).not.toHaveProperty('grants')
    expect(sent?.spent_grants).toBeNull()
  })

  test('APPR-15 POL-06 INT-25 a grant that ends while its use is taken: another that is left lets the call go', async () => {
    await using bench = await benchOf('a', 'b')
    const { db } = bench.database
    await turn(bench)
    await answer(bench, 1, '5x')
    await settle(bench)
    const [counted] = await grants(bench)
    if (counted === undefined) throw new Error('no grant')
    const later = { id: newId(), number: 2, life: '1h', uses_left: null, turn_id: null } as const
    await db
      .insertInto('grant_rule')
      .values({ ...counted, ...later })
      .execute()
    await bench.say('hi')
    let stepping: Promise<void> | undefined
    await db.transaction().execute(async (trx) => {
      const ended = trx.updateTable('grant_rule').set({ revoked_at: longAgo, revoked_by: eve.id })
      await ended.where('id', '=', later.id).execute()
      stepping = bench.step()
      await expect.poll(() => waitingForLocks(db)).toBe(1)
    })
    await stepping
    expect((await bench.calls()).slice(2).map(({ state }) => state)).toEqual(['queued', 'allowed'])
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([
      (counted.uses_left ?? 0) - 1,
      null,
    ])
  })

  test('APPR-15 a call that a worker gave back untouched has taken no use', async () => {
    await using bench = await benchOf('a')
    await turn(bench)
    await answer(bench, 1, '5x')
    await settle(bench)
    await bench.say('hi')
    await bench.step()
    const sent = (await bench.calls())[1]
    if (sent === undefined) throw new Error('no call')
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([4])
    await bench.result(sent, { kind: 'refused', why: 'busy' })
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([5])
    await settle(bench)
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([4])
    expect((await bench.calls())[1]?.state).toBe('succeeded')
  })

  test('APPR-15 APPR-12 for 1 h, by the database’s clock: after it the like asks again', async () => {
    await using bench = await benchOf('a')
    const { db } = bench.database
    await turn(bench)
    expect(await answer(bench, 1, '1h')).toMatchObject({ text: 'Approved, for 1 h.' })
    const [grant] = await grants(bench)
    const left = (grant?.expires_at?.getTime() ?? 0) - (grant?.created_at.getTime() ?? 0)
    expect(left).toBe(3_600_000)
    await settle(bench)
    expect(await turn(bench)).toEqual(['succeeded'])
    await db.updateTable('grant_rule').set({ expires_at: longAgo }).execute()
    expect(await turn(bench)).toEqual(['awaiting_approval'])
  })

  test('APPR-15 for this turn: whatever comes in it runs, the next turn asks', async () => {
    await using bench = await benchOf('a', 'b')
    await turn(bench)
    expect(await answer(bench, 1, 'turn')).toMatchObject({ text: 'Approved, for this turn.' })
    await settle(bench)
    expect((await bench.calls()).map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
    expect(await turn(bench)).toEqual(['awaiting_approval', 'awaiting_approval'])
  })

  test('POL-06 APPR-15 INT-25 a grant that ends between allow and dispatch: the call asks', async () => {
    await using bench = await benchOf('a', 'b')
    await turn(bench)
    await answer(bench, 1, '15m')
    await bench.step()
    expect((await bench.calls()).map(({ state }) => state)).toEqual(['queued', 'allowed'])
    await bench.database.db.updateTable('grant_rule').set({ expires_at: longAgo }).execute()
    await settle(bench)
    expect((await bench.calls()).map(({ state }) => state)).toEqual([
      'succeeded',
      'awaiting_approval',
    ])
  })

  test('APPR-15 THREAT-4 what ends is never written into the worker’s rules, whoever gave it, and is the caller’s alone', async () => {
    await using bench = await benchOf('a')
    const before = bench.rules.text
    await turn(bench)
    await answer(bench, 1, '1h', eve)
    await settle(bench)
    await sweep(bench.ctx, longAgo)
    expect(bench.rules.text).toBe(before)
    expect(await grants(bench)).toMatchObject([
      { caller_id: ada.id, granted_by: eve.id, pattern: 'wc *', life: '1h' },
    ])
    expect(await turn(bench)).toEqual(['succeeded'])
    await bench.say('mine', bob)
    await settle(bench)
    expect((await bench.calls()).at(-1)?.state).toBe('awaiting_approval')
  })

  test('GATE-02 APPR-15 a grant turns ask into allow and never deny into allow', async () => {
    await using bench = await benchOf('a')
    await turn(bench)
    await answer(bench, 1, '1h')
    await settle(bench)
    bench.rules.text = '{"*": "ask", "bash": {"*": "ask", "wc *": "deny"}}'
    expect(await turn(bench)).toEqual(['denied'])
  })

  test('APPR-15 where another rule allows it no use is taken', async () => {
    await using bench = await benchOf('a')
    await turn(bench)
    await answer(bench, 1, '5x')
    await settle(bench)
    bench.rules.text = '{"*": "ask", "bash": {"*": "ask", "wc *": "allow"}}'
    expect(await turn(bench)).toEqual(['succeeded'])
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([5])
  })

  test('APPR-15 an answer that is offered nowhere grants nothing: not where Always is not, and the late are told for how long', async () => {
    await using bench = await createBenchContext(
      answers(batchOf([toRequest('bash', { command: 'touch $x' }), count('b')])),
    )
    await turn(bench)
    expect(await answer(bench, 1, '1h')).toMatchObject({ kind: 'forbidden' })
    expect(await grants(bench)).toEqual([])
    await answer(bench, 2, '1h')
    expect((await answer(bench, 2, '5x', eve)).text).toMatch(
      /^Already approved by Ada at .*, for 1 h\.$/,
    )
    expect(await grants(bench)).toHaveLength(1)
  })
})

describe('the other questions of the session', () => {
  test('APPR-07 APPR-15 a grant of so many uses resolves no more of them than it has', async () => {
    await using bench = await benchOf('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
    await turn(bench)
    const [first] = await approvals(bench)
    await bench.act({ kind: 'batch', batchId: first?.batch_id ?? '', action: 'review' })
    await answer(bench, 1, '5x')
    await settle(bench)
    expect((await approvals(bench)).map(({ state }) => state)).toEqual([
      'approved',
      ...Array.from({ length: 5 }, () => 'granted'),
      'pending',
      'pending',
    ])
    expect((await grants(bench)).map(({ uses_left }) => uses_left)).toEqual([0])
    const settled = (await bench.calls()).filter(({ state }) => state === 'succeeded')
    expect(settled).toHaveLength(6)
  })

  test('APPR-07 APPR-15 whatever its life: those that now allow resolve, and their cards name it', async () => {
    for (const life of ['turn', '15m', '1h'] as const) {
      await using bench = await benchOf('a', 'b')
      await turn(bench)
      await answer(bench, 2, life)
      await bench.step()
      const [first] = await approvals(bench)
      expect(first?.state).toBe('granted')
      expect(JSON.parse(first?.card ?? '').status).toEqual({ kind: 'granted', life })
    }
  })

  test('APPR-07 APPR-15 killed between the tap and the cascade: whoever comes next goes on', async () => {
    await using bench = await benchOf('a', 'b')
    await turn(bench)
    await answer(bench, 1, '5x')
    const other = bench.another()
    await sweep(other, longAgo)
    await bench.step(other)
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['approved', 'granted'])
    expect((await approvals(bench)).map(({ always_effect }) => always_effect)).toEqual([
      'done',
      'none',
    ])
  })
})

test('APPR-23 what the operator lists is granted by its name, and its card says so', async () => {
  const model = createScriptedModel((request) => {
    if (request.messages.at(-1)?.role !== 'user') return say('done')
    return batchOf([toRequest('diagnostics', { path: `src/${request.messages.length}` })])
  })
  await using bench = await createBenchContext(model, { alwaysByName: ['diag*'] })
  await turn(bench)
  const [approval] = await approvals(bench)
  expect(JSON.parse(approval?.card ?? '').alwaysPatterns).toEqual(['* (any arguments)'])
  await answer(bench, 1, '1h')
  await settle(bench)
  expect(await turn(bench)).toEqual(['succeeded'])
})

describe('by command', () => {
  test('APPR-15 APPR-09 /always takes the question, the end, or both', async () => {
    await using bench = await benchOf('a')
    await turn(bench)
    await bench.say('/always 1 soon')
    expect((await bench.notices()).at(-1)).toBe('Usage: /always [n] [turn|15m|1h|5x]')
    await bench.say('/always 1h')
    expect(await grants(bench)).toMatchObject([{ life: '1h' }])
    await settle(bench)
    await bench.database.db.updateTable('grant_rule').set({ expires_at: longAgo }).execute()
    await turn(bench)
    await bench.say('/always 2 5×')
    expect((await grants(bench)).at(-1)).toMatchObject({ life: '5x', number: 2 })
  })

  test('APPR-15 AUD-01 the audit says for how long the like was allowed, and to whom', async () => {
    await using bench = await benchOf('a')
    await turn(bench)
    await answer(bench, 1, '15m')
    const row = await firstAuditRow(bench.database.db, 'command')
    expect(JSON.stringify(row)).toContain('for 15 min, for test:ada: wc *')
  })
})
