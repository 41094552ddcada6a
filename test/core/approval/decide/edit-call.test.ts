import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { awaitEdit, editCall } from '../../../../src/core/approval/decide/edit-call.ts'
import type { CoreSettings } from '../../../../src/core/context.ts'
import { transact } from '../../../../src/core/transaction.ts'
import { findEditable } from '../../../../src/db/approval/edited-calls.ts'
import { sha256 } from '../../../../src/util/digest.ts'
import { auditRows } from '../../../support/audit-rows.ts'
import {
  ada,
  anybody,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  showCards,
} from '../../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../../support/scripted-model.ts'

async function asked(
  tool = 'bash',
  args: object = { command: 'git push origin main' },
  approvers: Partial<CoreSettings['approvers']> = {},
) {
  const model = createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user' ? calls([toRequest(tool, args)]) : say('done'),
  )
  const bench = await createBenchContext(model, { approvers: { ...anybody, ...approvers } })
  bench.rules.text = rules
  await bench.say('hi')
  await bench.step()
  return { bench, model }
}

const rules =
  '{"*": "ask", "bash": {"*": "ask", "git status": "allow", "rm *": "deny"}, "read": "ask"}'

async function approvals(bench: BenchContext) {
  return bench.database.db.selectFrom('approval').selectAll().orderBy('number').execute()
}

async function onlyCall(bench: BenchContext) {
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  return row
}

function lastJob(bench: BenchContext) {
  const job = bench.jobs.at(-1)?.job
  return { header: JSON.parse(job?.header ?? '{}'), args: JSON.parse(job?.arguments ?? '{}') }
}

async function auditBodies(bench: BenchContext) {
  const rows = await auditRows(bench.database.db)
  return rows.map(({ body }) => JSON.parse(body))
}

describe('a call that a person changes before it is approved', () => {
  test('APPR-14 the old question is superseded, the new one is approved by the editor, and what was written runs', async () => {
    const { bench } = await asked()
    await using _bench = bench
    await bench.say('/edit git push --dry-run', eve)
    await bench.step()
    const [old, fresh] = await approvals(bench)
    expect([old?.state, old?.decided_by]).toEqual(['superseded', eve.id])
    expect(JSON.parse(old?.card ?? '').status).toMatchObject({
      kind: 'cancelled',
      why: 'asked again, as changed',
      by: 'Eve',
    })
    expect([fresh?.state, fresh?.decided_by]).toEqual(['approved', eve.id])
    expect(fresh?.arguments_sha256).toBe(sha256('{"command":"git push --dry-run"}'))
    const card = JSON.parse(fresh?.card ?? '')
    expect(card.what).toBe('git push --dry-run')
    expect(card.reasons[0]).toBe('Eve changed it; the model asked for: git push origin main')
    const { header, args } = lastJob(bench)
    expect(header).toMatchObject({ type: 'run', approvalId: fresh?.id, caller: ada.id })
    expect(args).toEqual({ command: 'git push --dry-run' })
  })

  test('APPR-14 AUD-01 both versions are audited, and the model is told that it was changed', async () => {
    const { bench, model } = await asked()
    await using _bench = bench
    await bench.say('/edit git push --dry-run', eve)
    await bench.step()
    await bench.result(await onlyCall(bench), { kind: 'succeeded', output: 'pushed nothing' })
    await bench.step()
    const bodies = await auditBodies(bench)
    expect(bodies).toContainEqual(
      expect.objectContaining({
        kind: 'command',
        caller_id: eve.id,
        arguments: '{"command":"git push --dry-run"}',
        note: expect.stringContaining('git push origin main'),
      }),
    )
    expect(bodies).toContainEqual(
      expect.objectContaining({
        kind: 'decided',
        arguments: '{"command":"git push --dry-run"}',
        decided_by: eve.id,
      }),
    )
    const told = model.requests.at(-1)?.messages.at(-1)
    expect(told).toMatchObject({ role: 'tool', text: expect.stringContaining('A person changed') })
    expect(told).toMatchObject({ text: expect.stringContaining('git push --dry-run') })
    expect(told).toMatchObject({ text: expect.stringContaining('pushed nothing') })
  })

  test('APPR-14 what a rule denies stays denied, whoever wrote it', async () => {
    const { bench } = await asked()
    await using _bench = bench
    await bench.say('/edit rm -rf build', eve)
    await bench.step()
    expect(await onlyCall(bench)).toMatchObject({ state: 'denied', is_error: true })
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['superseded'])
    expect(bench.jobs).toEqual([])
  })

  test('APPR-14 what a rule allows runs without another question', async () => {
    const { bench } = await asked()
    await using _bench = bench
    await bench.say('/edit git status')
    await bench.step()
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['superseded'])
    expect(lastJob(bench).args).toEqual({ command: 'git status' })
  })

  test('APPR-14 the vote of who changed a file’s edit counts once the diff of the new version is on the card', async () => {
    const { bench } = await asked('write', { path: 'a.txt', content: 'one' })
    await using _bench = bench
    await bench.result(
      await onlyCall(bench),
      { kind: 'preview', diff: '+one', baseSha256: 'a'.repeat(64) },
      1,
    )
    await bench.say('/edit {"content": "two"}')
    await bench.step()
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['superseded', 'pending'])
    expect(lastJob(bench)).toMatchObject({
      header: { type: 'preview' },
      args: { path: 'a.txt', content: 'two' },
    })
    await bench.result(
      await onlyCall(bench),
      { kind: 'preview', diff: '+two', baseSha256: 'b'.repeat(64) },
      lastJob(bench).header.attempt,
    )
    await bench.step()
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['superseded', 'approved'])
    expect(lastJob(bench).header).toMatchObject({ type: 'run', baseSha256: 'b'.repeat(64) })
  })

  test.each([
    ['has not arrived', 'pending'],
    ['had no room for all of it', 'sent'],
  ] as const)(
    'APPR-14 APPR-16 changing a part of what %s is no approval of the rest',
    async (_why, state) => {
      const { bench } = await asked('write', { path: 'a.txt', content: 'one' })
      await using _bench = bench
      const { db } = bench.database
      const preview = { kind: 'preview', diff: '+one', baseSha256: 'a'.repeat(64) } as const
      await bench.result(await onlyCall(bench), preview, 1)
      const [old] = await approvals(bench)
      await db
        .updateTable('outbox')
        .set({ state, is_cut: state === 'sent' })
        .execute()
      await transact(bench.ctx, async (tx) => {
        if (old === undefined) throw new Error('no question')
        const edited = await editCall(tx, old, ada, '{"path": "b.txt"}')
        expect(edited).toMatchObject({ kind: 'applied', text: expect.stringContaining('without') })
      })
      await bench.step()
      await bench.result(await onlyCall(bench), preview, lastJob(bench).header.attempt)
      await bench.step()
      expect((await approvals(bench)).map((each) => each.state)).toEqual(['superseded', 'pending'])
      expect(bench.jobs.every(({ job }) => JSON.parse(job.header).type === 'preview')).toBe(true)
    },
  )

  test('APPR-14 the vote counts once: a question that comes again asks again', async () => {
    const { bench } = await asked('write', { path: 'a.txt', content: 'one' })
    await using _bench = bench
    const preview = (text: string) =>
      ({ kind: 'preview', diff: text, baseSha256: 'a'.repeat(64) }) as const
    await bench.result(await onlyCall(bench), preview('+one'), 1)
    await bench.say('/edit {"content": "two"}')
    await bench.step()
    await bench.result(await onlyCall(bench), preview('+two'), lastJob(bench).header.attempt)
    await bench.step()
    await bench.result(await onlyCall(bench), { kind: 'changed', path: 'a.txt' })
    await bench.step()
    await bench.result(await onlyCall(bench), preview('+two again'), lastJob(bench).header.attempt)
    await bench.step()
    expect((await approvals(bench)).at(-1)?.state).toBe('pending')
  })

  test('APPR-14 APPR-16 the diff of what it was before shows nothing on the card of what it became', async () => {
    const { bench } = await asked('write', { path: 'a.txt', content: 'one' })
    await using _bench = bench
    const before = lastJob(bench).header.attempt
    await bench.say('/edit {"path": "a.txt", "content": "two"}')
    await bench.step()
    const late = { kind: 'preview', diff: '+one', baseSha256: 'a'.repeat(64) } as const
    await bench.result(await onlyCall(bench), late, before)
    await bench.step()
    const [, fresh] = await approvals(bench)
    expect(fresh).toMatchObject({ state: 'pending', card_outbox_id: null })
    expect(fresh?.card).not.toContain('+one')
    expect(await onlyCall(bench)).toMatchObject({ preview: 'wanted', base_sha256: null })
    const own = { kind: 'preview', diff: '+two', baseSha256: 'b'.repeat(64) } as const
    await bench.result(await onlyCall(bench), own, lastJob(bench).header.attempt)
    await bench.step()
    expect((await approvals(bench)).at(-1)).toMatchObject({
      state: 'approved',
      card: expect.stringContaining('+two'),
    })
  })

  test('APPR-14 THREAT-1 what was changed into something allowed and leads elsewhere asks, and nobody has answered that yet', async () => {
    const { bench } = await asked('read', { path: 'other.txt' })
    await using _bench = bench
    bench.rules.text = '{"*": "ask", "read": {"*": "ask", "a.txt": "allow"}}'
    await bench.say('/edit {"path": "a.txt"}')
    await bench.step()
    await bench.result(await onlyCall(bench), {
      kind: 'elsewhere',
      canonical: ['/workspace/secrets.txt'],
    })
    await bench.step()
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['superseded', 'pending'])
    expect((await onlyCall(bench)).state).toBe('awaiting_approval')
  })

  test.each([
    ['a stranger to the turn', '/edit 1 git status', bob, 'may not answer'],
    ['no text', '/edit 1', ada, 'Send the new version'],
    ['the same text', '/edit 1 git push origin main', ada, 'already says'],
    ['an unknown number', '/edit 7 git status', ada, 'no approval 7'],
  ] as const)('APPR-14 %s changes nothing', async (_what, text, by, answer) => {
    const { bench } = await asked()
    await using _bench = bench
    await bench.say(text, by)
    expect((await bench.notices()).at(-1)).toContain(answer)
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['pending'])
    expect((await onlyCall(bench)).arguments).toBe('{"command":"git push origin main"}')
  })

  test('APPR-14 arguments that the tool does not take change nothing, and the answer names what is wrong', async () => {
    const { bench } = await asked('write', { path: 'a.txt', content: 'one' })
    await using _bench = bench
    for (const wrong of ['two', '{"content": 2}', '{"__proto__": {}}', '{"nonsense": "x"}']) {
      await bench.say(`/edit ${wrong}`)
      expect((await bench.notices()).at(-1)).toContain('Not changed')
    }
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['pending'])
  })

  test('APPR-14 DECISION-18 the editor’s tap is one vote of those that the new risk needs, and earlier votes lapse', async () => {
    const { bench } = await asked(
      'bash',
      { command: 'git push origin main' },
      {
        people: { low: 2, medium: 2, high: 2 },
      },
    )
    await using _bench = bench
    await showCards(bench.database.db)
    await bench.say('/approve 1', eve)
    await bench.say('/edit 1 git push --dry-run')
    await bench.step()
    const [, fresh] = await approvals(bench)
    expect(fresh?.state).toBe('pending')
    expect(JSON.parse(fresh?.card ?? '').votes).toMatchObject({ people: 2, by: [{ name: 'Ada' }] })
    await showCards(bench.database.db)
    await bench.say('/approve 2', eve)
    await bench.step()
    expect(lastJob(bench).args).toEqual({ command: 'git push --dry-run' })
  })

  test('APPR-14 APPR-17 who may not approve may change it all the same, which approves nothing', async () => {
    const { bench } = await asked('bash', { command: 'git push' }, { allowSelf: false })
    await using _bench = bench
    await bench.say('/edit 1 git push --dry-run')
    await bench.step()
    expect((await approvals(bench)).map(({ state }) => state)).toEqual(['superseded', 'pending'])
    expect(bench.jobs).toEqual([])
  })

  test('APPR-14 DECISION-17 a reply counts for ten minutes after Edit, of whoever tapped it, and while the question waits', async () => {
    const { bench } = await asked()
    await using _bench = bench
    const { db } = bench.database
    const [question] = await approvals(bench)
    if (question === undefined) throw new Error('no question')
    const editable = async () =>
      (await findEditable(db, question.conversation_id, eve.id, '77'))?.id
    await showCards(db)
    await sql`
      update outbox set external_message_id = '77'
      where id in (select outbox_id from approval_card)`.execute(db)
    expect(await editable()).toBeUndefined()
    expect(await awaitEdit(bench.ctx, db, question, bob)).toMatchObject({ kind: 'forbidden' })
    expect(await awaitEdit(bench.ctx, db, question, eve)).toMatchObject({ kind: 'applied' })
    expect(await editable()).toBe(question.id)
    await sql`update edit_window set ends_at = now() - interval '1 second'`.execute(db)
    expect(await editable()).toBeUndefined()
  })

  test('APPR-14 a question that was answered meanwhile is not changed any more', async () => {
    const { bench } = await asked()
    await using _bench = bench
    await bench.say('/deny 1 no', eve)
    await bench.say('/edit 1 git status')
    expect((await bench.notices()).at(-1)).toContain('Already denied by Eve')
    expect(await onlyCall(bench)).toMatchObject({ state: 'denied', edited_by: null })
  })
})
