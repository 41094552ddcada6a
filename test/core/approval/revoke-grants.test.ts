import { describe, expect, test } from 'vitest'
import { runRulesOrders } from '../../../src/core/approval/rules-orders.ts'
import { sweep } from '../../../src/core/turn/sweep.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import { defaultPermissions } from '../../../src/rules/gate/permissions/default-permissions.ts'
import { auditRows } from '../../support/audit-rows.ts'
import {
  ada,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  ok,
} from '../../support/bench-context.ts'
import {
  calls as batchOf,
  createScriptedModel,
  say,
  toRequest,
} from '../../support/scripted-model.ts'

const longAgo = new Date(0)

function benchOf(...names: readonly string[]): Promise<BenchContext> {
  const first = batchOf(names.map((name) => toRequest('bash', { command: `wc -c ${name}` })))
  return createBenchContext(
    createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'user' ? first : say('done'),
    ),
  )
}

async function settle(bench: BenchContext): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    await bench.step()
    const sent = (await bench.calls()).filter(({ state }) => state === 'queued')
    for (const row of sent) await bench.result(row, ok)
    if (sent.length === 0) return
  }
}

/** A turn, and the answer that its question gets. */
async function answered(bench: BenchContext, answer: string, by = ada): Promise<void> {
  await bench.say('hi')
  await bench.step()
  await bench.say(answer, by)
  await settle(bench)
}

async function lastNotice(bench: BenchContext): Promise<{ text: string; quoted?: string }> {
  const rows = await bench.database.db.selectFrom('outbox').select('body').orderBy('id').execute()
  const notices = rows.map(({ body }) => JSON.parse(body)).filter(({ kind }) => kind === 'notice')
  return notices.at(-1)
}

/** Who alone is reached by it where we are not. */
async function lastAddressee({ database: { db } }: BenchContext): Promise<string | null> {
  const { addressee } = await db
    .selectFrom('outbox')
    .select('addressee')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return addressee
}

async function states(bench: BenchContext): Promise<string[]> {
  return (await bench.calls()).map(({ state }) => state)
}

async function commands(bench: BenchContext) {
  const rows = (await auditRows(bench.database.db)).filter((row) => row.kind === 'command')
  return rows.map(({ body }) => JSON.parse(body).note)
}

describe('/grants', () => {
  test('APPR-15 it lists what holds, by number: tool, pattern, until when, who gave it; and nothing else', async () => {
    await using bench = await benchOf('a')
    const { db } = bench.database
    await bench.say('/grants')
    expect((await lastNotice(bench)).text).toBe('You have no grants in force in this session.')
    await answered(bench, '/always 5x')
    await db.updateTable('grant_rule').set({ uses_left: 0 }).execute()
    await answered(bench, '/always 1h', eve)
    await db
      .updateTable('grant_rule')
      .set({ expires_at: longAgo })
      .where('number', '=', 2)
      .execute()
    await answered(bench, '/always turn')
    await answered(bench, '/always 5x', eve)
    await bench.say('/grants')
    const list = await lastNotice(bench)
    expect(list.quoted).toMatch(/^4 {2}bash {2}wc \*\n {4}5 uses left; by Eve, \d\d:\d\d UTC$/)
    expect(list).toMatchObject({
      text: 'Your grants in this session; /revoke 4 revokes the first one:',
      revokes: [{ label: '4', grant: { kind: 'session' } }],
    })
  })

  test('APPR-15 THREAT-6 a user sees their own, an approver everybody’s and, by the agent, what holds for everybody', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always 15m')
    await bench.say('/grants', bob)
    expect((await lastNotice(bench)).text).toContain('You have no grants in force')
    bench.rules.text =
      '{"bash": {"*": "ask",\n// granted by test:eve, 2026-11-21\n"ls\\n *": "allow"}}'
    await bench.say('/grants', eve)
    expect((await lastNotice(bench)).quoted).toMatch(/until .* UTC; for Ada, by Ada/)
    await runRulesOrders(bench.ctx)
    expect(await lastNotice(bench)).toMatchObject({
      text: 'Rules that “Always” wrote for everybody, worker default; /revoke w1 removes the first one:',
      quoted: expect.stringMatching(/^w1 {2}bash {2}ls.* \*\n {4}by test:eve, 2026-11-21$/),
      revokes: [{ label: 'w1', grant: { kind: 'file' } }],
    })
    expect((await lastNotice(bench)).quoted?.split('\n')).toHaveLength(2)
  })
})

describe('taking a grant back', () => {
  test('APPR-15 AUD-01 /revoke n ends it: the like asks again, it is recorded, and a second time is told so', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always 1h')
    await bench.say('/revoke')
    expect((await lastNotice(bench)).text).toContain('Usage')
    await bench.say('/revoke 7')
    expect((await lastNotice(bench)).text).toBe('There is no grant 7 in force.')
    await bench.say('/revoke 1')
    expect((await lastNotice(bench)).text).toBe(
      'Grant 1 (bash) is revoked; similar calls ask again.',
    )
    await bench.say('/grants revoke 1')
    expect((await lastNotice(bench)).text).toBe('There is no grant 1 in force.')
    expect(await commands(bench)).toEqual([
      'for 1 h, for test:ada: wc *',
      'taken back from test:ada: wc *',
    ])
    await bench.say('hi')
    await settle(bench)
    expect(await states(bench)).toEqual(['succeeded', 'awaiting_approval'])
  })

  test('APPR-15 THREAT-8 by the person it is for, approvers and operators; by nobody else, button or not', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always 1h')
    await bench.say('/revoke 1', bob)
    expect((await lastNotice(bench)).text).toBe('Only Ada or an approver can revoke that.')
    const { id } = await bench.database.db
      .selectFrom('grant_rule')
      .select('id')
      .executeTakeFirstOrThrow()
    const tap = (by: Caller) =>
      bench.act({ kind: 'revoke', grant: { kind: 'session', id }, messageId: '1' }, by)
    await tap(bob)
    const revoked = () =>
      bench.database.db.selectFrom('grant_rule').select('revoked_by').executeTakeFirst()
    expect(await revoked()).toEqual({ revoked_by: null })
    await tap(eve)
    await tap(ada)
    expect(await revoked()).toEqual({ revoked_by: eve.id })
    const answers = await bench.database.db
      .selectFrom('inbound_event')
      .select('answer')
      .where('answer', 'is not', null)
      .orderBy('received_at')
      .execute()
    expect(answers.map(({ answer }) => JSON.parse(answer ?? '').alert)).toEqual([true, false, true])
  })

  test('APPR-15 POL-06 INT-25 between allow and dispatch: the call asks again, by a new card', async () => {
    await using bench = await benchOf('a', 'b')
    await bench.say('hi')
    await bench.step()
    await bench.say('/always 1 1h')
    await bench.step()
    expect(await states(bench)).toEqual(['queued', 'allowed'])
    await bench.say('/revoke 1')
    await settle(bench)
    expect(await states(bench)).toEqual(['succeeded', 'awaiting_approval'])
    const approvals = await bench.database.db
      .selectFrom('approval')
      .select('state')
      .orderBy('number')
      .execute()
    expect(approvals.map(({ state }) => state)).toEqual(['approved', 'superseded', 'pending'])
  })

  test('APPR-15 a card that waits, or was approved by itself, is as it was', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always 1h')
    await bench.database.db.updateTable('grant_rule').set({ expires_at: longAgo }).execute()
    await bench.say('hi')
    await bench.step()
    await bench.say('/always 5x')
    await bench.say('/revoke 2')
    await settle(bench)
    expect(await states(bench)).toEqual(['succeeded', 'succeeded'])
  })

  test('APPR-15 INT-9 /clear ends whatever was granted in the session', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always 1h')
    await bench.say('/clear')
    await bench.say('/grants')
    expect((await lastNotice(bench)).text).toContain('You have no grants in force')
    await bench.say('hi')
    await settle(bench)
    expect((await states(bench)).at(-1)).toBe('awaiting_approval')
  })
})

describe('what Always wrote for everybody', () => {
  test('APPR-07 APPR-15 it is in the rules alone, and out of them when an approver says so', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always', eve)
    expect(bench.rules.text).toContain('"wc *": "allow"')
    await bench.say('/grants', eve)
    expect((await lastNotice(bench)).text).toContain('No grants are in force in this session')
    await sweep(bench.ctx, longAgo)
    expect((await lastNotice(bench)).quoted).toContain('w1  bash  wc *')
    expect(await lastAddressee(bench)).toBe(eve.id)
    await bench.say('/revoke w1')
    expect((await lastNotice(bench)).text).toBe(
      'Only an approver or operator can revoke what applies to everybody.',
    )
    await runRulesOrders(bench.ctx)
    expect(bench.rules.text).toContain('"wc *": "allow"')
    await bench.say('/revoke w9', eve)
    expect((await lastNotice(bench)).text).toContain('There is no rule w9')
    await bench.say('/revoke w1', eve)
    await Promise.all([runRulesOrders(bench.ctx), runRulesOrders(bench.another())])
    expect(bench.rules.text).not.toContain('wc')
    expect((await bench.notices()).filter((text) => text.includes('is removed'))).toEqual([
      'Rule w1 (bash) of worker default is removed; similar calls ask again.',
    ])
    expect(await lastAddressee(bench)).toBe(eve.id)
    expect((await commands(bench)).filter((note) => note.startsWith('taken out'))).toHaveLength(1)
    await bench.say('hi')
    await settle(bench)
    expect((await states(bench)).at(-1)).toBe('awaiting_approval')
  })

  test('APPR-15 THREAT-8 a button for it is of no use to a user, and to an approver once', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always', eve)
    await bench.say('/grants', eve)
    await runRulesOrders(bench.ctx)
    const { id } = await bench.database.db
      .selectFrom('file_grant')
      .select('id')
      .executeTakeFirstOrThrow()
    const body = { kind: 'revoke', grant: { kind: 'file', id }, messageId: '1' } as const
    await bench.act(body, ada)
    await runRulesOrders(bench.ctx)
    expect(bench.rules.text).toContain('wc')
    await bench.act(body, eve)
    await runRulesOrders(bench.ctx)
    expect(bench.rules.text).not.toContain('wc')
  })

  test('APPR-15 killed between the rules and the answer: it is done again and answered once', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always', eve)
    await bench.say('/grants', eve)
    await runRulesOrders(bench.ctx)
    await bench.say('/revoke w1', eve)
    bench.rules.text = defaultPermissions
    await sweep(bench.another(), longAgo)
    await sweep(bench.ctx, longAgo)
    expect((await bench.notices()).filter((text) => text.includes('is removed'))).toHaveLength(1)
    expect((await commands(bench)).filter((note) => note.startsWith('taken out'))).toHaveLength(1)
  })

  test('APPR-15 taken back before an agent wrote it, it is never written', async () => {
    await using bench = await benchOf('a')
    await bench.say('hi')
    await bench.step()
    await bench.say('/always', eve)
    await bench.say('/revoke 1', eve)
    await settle(bench)
    expect(bench.rules.text).toBe(defaultPermissions)
    await bench.say('hi')
    await settle(bench)
    expect(await states(bench)).toEqual(['succeeded', 'awaiting_approval'])
  })

  test('APPR-15 taken back while an agent writes it, it is taken out again', async () => {
    await using bench = await benchOf('a')
    await bench.say('hi')
    await bench.step()
    await bench.say('/always', eve)
    const { permissions } = bench.ctx
    let written = ''
    const slow = {
      ...bench.ctx,
      permissions: {
        ...permissions,
        save: async (worker: string, version: string, text: string) => {
          if (written === '') await bench.say('/revoke 1', eve)
          written ||= text
          return permissions.save(worker, version, text)
        },
      },
    }
    await bench.step(slow)
    expect(written).toContain('"wc *": "allow"')
    expect(bench.rules.text).not.toContain('wc')
    await settle(bench)
    await bench.say('hi')
    await settle(bench)
    expect(await states(bench)).toEqual(['succeeded', 'awaiting_approval'])
  })

  test('APPR-15 GATE-09 of damaged rules nothing is listed or said to be taken out', async () => {
    await using bench = await benchOf('a')
    await answered(bench, '/always', eve)
    await bench.say('/grants', eve)
    await runRulesOrders(bench.ctx)
    bench.rules.text = `${bench.rules.text}}`
    for (const words of ['/grants', '/revoke w1']) {
      await bench.say(words, eve)
      await runRulesOrders(bench.ctx)
      expect((await lastNotice(bench)).text).toContain('are damaged')
    }
    expect((await commands(bench)).filter((note) => note.startsWith('taken out'))).toEqual([])
  })

  test('APPR-07 GATE-09 where the rules are damaged the grant stays in its session until they are mended', async () => {
    await using bench = await benchOf('a')
    await bench.say('hi')
    await bench.step()
    const whole = bench.rules.text
    bench.rules.text = '{"bash": '
    await bench.say('/always', eve)
    await settle(bench)
    expect(bench.rules.text).toBe('{"bash": ')
    bench.rules.text = whole
    await bench.say('hi')
    await settle(bench)
    expect(await states(bench)).toEqual(['succeeded', 'succeeded'])
  })
})
