import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  deleteOldTokens,
  insertFeedbackTokens,
  insertRevokeTokens,
  insertStopToken,
  insertTokens,
} from '../../../src/db/approval/callback-tokens.ts'
import { newId } from '../../../src/util/ids.ts'
import { ada, type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

/** A question, its turn and a grant, with a button of each. */
async function openAsked() {
  const model = createScriptedModel([call('bash', { command: 'true' }), say('done')])
  const bench = await createBenchContext(model)
  const conversationId = await bench.say('go')
  await bench.step()
  const { db } = bench.database
  const asked = await db
    .selectFrom('approval')
    .select(['id', 'session_id', 'turn_id as turnId'])
    .executeTakeFirstOrThrow()
  const grantId = newId()
  const grant = { id: grantId, session_id: asked.session_id, caller_id: ada.id, number: 1 }
  const rule = { tool: 'bash', pattern: 'ls', granted_by: ada.id }
  await db
    .insertInto('grant_rule')
    .values({ ...grant, ...rule })
    .execute()
  await insertTokens(db, { approvalId: asked.id, conversationId }, [
    { sha256: 'question', action: 'approve' },
  ])
  const { turnId } = asked
  await insertStopToken(db, { turnId, conversationId, sha256: 'stop' })
  await insertFeedbackTokens(db, { turnId, conversationId }, [{ sha256: 'good', action: 'good' }])
  await insertRevokeTokens(db, conversationId, [
    { sha256: 'grant', grant: { kind: 'session', id: grantId } },
  ])
  return bench
}

async function left({ database }: BenchContext): Promise<readonly string[]> {
  const rows = await database.db.selectFrom('callback_token').select('token_sha256').execute()
  return rows.map(({ token_sha256 }) => token_sha256).sort()
}

/** Moves the ends of everything that is over back in time. */
async function age({ database: { db } }: BenchContext): Promise<void> {
  await sql`update callback_token set created_at = created_at - interval '8 days'`.execute(db)
  await sql`update approval set decided_at = decided_at - interval '8 days'`.execute(db)
  await sql`update turn set ended_at = ended_at - interval '8 days'`.execute(db)
}

const all = ['good', 'grant', 'question', 'stop']

test('TG-02 THREAT-28 buttons of pending and valid items are kept at any age', async () => {
  await using bench = await openAsked()
  await age(bench)
  expect(await deleteOldTokens(bench.database.db, 7)).toBe(0)
  expect(await left(bench)).toEqual(all)
})

test('TG-02 THREAT-28 buttons of what is over go once it is older than the retention, and not before', async () => {
  await using bench = await openAsked()
  const { db } = bench.database
  await bench.act({ kind: 'message', text: '/clear' })
  await deleteOldTokens(db, 7)
  expect(await left(bench)).toEqual(all)
  await sql`update callback_token set created_at = created_at - interval '8 days'`.execute(db)
  await deleteOldTokens(db, 7)
  // Only an ended grant has no end time of its own; everything else ended a moment ago.
  expect(await left(bench)).toEqual(['good', 'question', 'stop'])
  await age(bench)
  expect(await deleteOldTokens(db, 7)).toBe(3)
  expect(await left(bench)).toEqual([])
})
