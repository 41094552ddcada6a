import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { answerAsProgram } from '../../../src/core/approval/decide/answer-as-program.ts'
import { type Follow, followApprovals } from '../../../src/core/approval/follow-questions.ts'
import { recordShowing, wasShownTo } from '../../../src/db/approval/open-approvals.ts'
import { deleteApiToken, insertApiToken } from '../../../src/db/people/api-tokens.ts'
import type { ApprovalStreamItem } from '../../../src/domain/approval-event.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { Notifier } from '../../../src/util/notifier.ts'
import { MemoryLog } from '../../adapters/chat/telegram/incoming/memory-log.ts'
import { giveToken } from '../../support/api-place.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const quick = { pollIntervalMs: 20, minPollIntervalMs: 1, heartbeatMs: 60_000 }

/** A question about a call, of which no card was delivered anywhere. */
async function asked(tool: string, args: unknown): Promise<BenchContext> {
  const bench = await createBenchContext(createScriptedModel([call(tool, args), say('done')]))
  bench.rules.text = '{"*": "ask"}'
  await bench.say('hi')
  await bench.step()
  return bench
}

async function programOf({ database: { db } }: BenchContext, name = 'desk'): Promise<string> {
  return sha256(await giveToken(db, name, 'approver'))
}

async function onlyApproval({ database: { db } }: BenchContext) {
  return db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
}

async function answer(
  bench: BenchContext,
  token: string,
  kind: 'approve' | 'always' | 'deny' = 'approve',
) {
  const { id: approvalId, session_id: sessionId } = await onlyApproval(bench)
  return answerAsProgram(bench.ctx, token, { approvalId, sessionId, decision: { kind } })
}

/** What a program is told, item by item; nothing rings, so that all of it is found by looking. */
function follow(
  bench: BenchContext,
  tokenSha256: string,
  more: Partial<Follow> = {},
): AsyncGenerator<ApprovalStreamItem, void> & AsyncDisposable {
  const ending = new AbortController()
  const { ctx } = bench
  const given = { ctx, tokenSha256, notifier: new Notifier(), signal: ending.signal, pace: quick }
  const items = followApprovals({ ...given, ...more })
  return Object.assign(items, {
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await items.return()
    },
  })
}

async function next(items: AsyncGenerator<ApprovalStreamItem, void>): Promise<ApprovalStreamItem> {
  const { value } = await items.next()
  if (value === undefined) throw new Error('the stream has ended')
  return value
}

const diff = { kind: 'preview', diff: '@@ -0,0 +1 @@\n+x', baseSha256: 'a'.repeat(64) } as const

async function showDiff(bench: BenchContext): Promise<void> {
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  await bench.result(row, diff, 1)
}

describe('what a program is told', () => {
  test('APPR-11 APPR-16 a question without its diff is not told and cannot be approved; then it is told with the diff', async () => {
    await using bench = await asked('write', { path: 'a.txt', content: 'x' })
    const token = await programOf(bench)
    await using items = follow(bench, token)
    expect(await next(items)).toEqual({ type: 'ready', pending: 0 })
    expect((await answer(bench, token))?.applied).toBe(false)
    await showDiff(bench)
    const told = await next(items)
    expect(told).toMatchObject({ toolName: 'write', arguments: '{"path":"a.txt","content":"x"}' })
    expect(told).toHaveProperty('what', 'write a.txt\n\n@@ -0,0 +1 @@\n+x')
    expect(await answer(bench, token)).toEqual({ applied: true, message: 'Approved.' })
    expect(await next(items)).toMatchObject({ type: 'tool_approval_resolved', state: 'approved' })
  })

  test('APPR-11 APPR-16 one that is too large to be shown says so, offers nothing, and can only be denied', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const { card } = await onlyApproval(bench)
    const packed = JSON.stringify({ ...JSON.parse(card), alwaysPatterns: [], tooLarge: true })
    await bench.database.db.updateTable('approval').set({ card: packed }).execute()
    const token = await programOf(bench)
    await using items = follow(bench, token)
    expect(await next(items)).toMatchObject({ tooLarge: true, alwaysPatterns: [] })
    expect((await answer(bench, token))?.message).toContain('too large to be shown')
    expect((await answer(bench, token, 'always'))?.applied).toBe(false)
    expect((await answer(bench, token, 'deny'))?.applied).toBe(true)
  })

  test('APPR-11 APPR-16 to have been shown is one token’s: whoever gets the name next was shown nothing', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const { db } = bench.database
    const former = await programOf(bench)
    await using items = follow(bench, former)
    await next(items)
    await deleteApiToken(db, 'api:desk')
    expect(await answer(bench, former)).toBeUndefined()
    await insertApiToken(db, 'another', 'api:desk')
    expect((await answer(bench, 'another'))?.message).toMatch(/must be shown first/)
    expect((await onlyApproval(bench)).state).toBe('pending')
  })

  test('APPR-11 APPR-16 a token that is revoked while its stream replays is told no more', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const { db } = bench.database
    const token = await programOf(bench)
    await using items = follow(bench, token)
    await next(items)
    const { id } = await onlyApproval(bench)
    expect(await recordShowing(db, id, token)).toBe(true)
    await deleteApiToken(db, 'api:desk')
    await insertApiToken(db, 'another', 'api:desk')
    expect(await recordShowing(db, id, token)).toBe(false)
    expect(await wasShownTo(db, id, 'api:desk')).toBe(false)
    expect((await items.next()).done).toBe(false)
    expect((await items.next()).done).toBe(true)
  })

  test('APPR-11 APPR-06 a question whose arguments are other ones now is told to nobody', async () => {
    await using bench = await asked('bash', { command: 'true' })
    await sql`update tool_call set arguments_sha256 = 'other'`.execute(bench.database.db)
    await using items = follow(bench, await programOf(bench))
    expect(await next(items)).toEqual({ type: 'ready', pending: 0 })
  })

  test('APPR-11 a question that is gone with its session has ended', async () => {
    await using bench = await asked('bash', { command: 'true' })
    await using items = follow(bench, await programOf(bench))
    expect(await next(items)).toMatchObject({ type: 'tool_approval_required' })
    expect(await next(items)).toEqual({ type: 'ready', pending: 1 })
    await bench.database.db.deleteFrom('approval').execute()
    expect(await next(items)).toMatchObject({
      type: 'tool_approval_resolved',
      state: 'cancelled',
      decidedBy: null,
      decidedAt: null,
    })
  })
})

describe('a stream goes on', () => {
  test('APPR-11 while nothing happens it says so now and then', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const pace = { ...quick, heartbeatMs: 30 }
    await using items = follow(bench, await programOf(bench), { pace })
    await next(items)
    await next(items)
    expect(await next(items)).toEqual({ type: 'beat' })
    expect(await next(items)).toEqual({ type: 'beat' })
  })

  test('APPR-11 REL-02 while the database does not answer nothing is told, and nothing is lost', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const { db } = bench.database
    const token = await programOf(bench)
    const log = new MemoryLog()
    const pace = { ...quick, heartbeatMs: 30 }
    await sql`alter table approval_showing rename to away`.execute(db)
    await using items = follow(bench, token, {
      ctx: { db, log, messages: bench.ctx.messages },
      pace,
    })
    // It could not be told, and all of what is open was not told then.
    expect(await next(items)).toEqual({ type: 'beat' })
    await sql`alter table api_token rename to away_too`.execute(db)
    expect(await next(items)).toEqual({ type: 'beat' })
    await sql`alter table away rename to approval_showing`.execute(db)
    await sql`alter table away_too rename to api_token`.execute(db)
    const told: ApprovalStreamItem[] = []
    while (told.at(-1)?.type !== 'ready') told.push(await next(items))
    const events = told.filter(({ type }) => type !== 'beat')
    expect(events).toMatchObject([{ type: 'tool_approval_required' }, { pending: 1 }])
    expect(log.having('will retry').length).toBeGreaterThan(0)
  })

  test('APPR-11 a bell is heard at once, and the signal ends it', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const bell = new Notifier()
    const ending = new AbortController()
    const pace = { ...quick, pollIntervalMs: 600_000 }
    const token = await programOf(bench)
    const items = follow(bench, token, { notifier: bell, pace, signal: ending.signal })
    await next(items)
    await next(items)
    await answer(bench, token, 'deny')
    const resolved = next(items)
    bell.ring()
    expect(await resolved).toMatchObject({ state: 'denied', decidedBy: 'api:desk' })
    const ended = items.next()
    ending.abort()
    expect(await ended).toEqual({ done: true, value: undefined })
  })
})
