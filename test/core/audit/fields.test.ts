import { expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { ada, createBenchContext, eve, showCards } from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const envelope = {
  stdout: 'out',
  stderr: '',
  exit_code: 3,
  truncated: true,
  duration_ms: 7,
  timed_out: false,
}

test('AUD-01 a call that was asked about and ran leaves who, what, why, who allowed it, where and how it ended', async () => {
  const first = calls([toRequest('bash', { command: 'curl https://example.com/ | wc -c' })])
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? first : say('done'),
  )
  await using bench = await createBenchContext(model)
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  const approval = await db.selectFrom('approval').select('id').executeTakeFirstOrThrow()
  await showCards(db)
  await decide(bench.ctx, approval.id, eve, { kind: 'approve' })
  await bench.step()
  const [call] = await bench.calls()
  if (call === undefined) throw new Error('no call')
  await bench.result(call, { kind: 'succeeded', output: 'out', envelope })
  const rows = await auditRows(db)
  const [decided, settled] = rows.map(({ body }) => JSON.parse(body))
  const { created_at, decided_at } = await db
    .selectFrom('approval')
    .select(['created_at', 'decided_at'])
    .executeTakeFirstOrThrow()
  expect(rows[0]).toMatchObject({
    said_by: 'permissions',
    asked_at: created_at,
    answered_at: decided_at,
  })
  const identity = {
    at: expect.stringMatching(/Z$/),
    session_id: call.session_id,
    turn_id: call.turn_id,
    call_id: call.id,
    tool: 'bash',
    caller_id: ada.id,
    worker: 'default',
    attempt: 1,
  }
  expect(decided).toMatchObject({
    ...identity,
    kind: 'decided',
    arguments: call.arguments,
    verdict: 'ask',
    trace: expect.arrayContaining([
      expect.objectContaining({ check: expect.any(String), reason: expect.any(String) }),
    ]),
    approval_id: approval.id,
    approval_state: 'approved',
    decided_by: eve.id,
    asked_at: created_at.toISOString(),
    answered_at: decided_at?.toISOString(),
    hosts: ['example.com'],
  })
  expect(settled).toMatchObject({
    ...identity,
    kind: 'settled',
    result: 'success',
    exit_code: 3,
    truncated: true,
    duration_ms: 5,
    replica: expect.any(String),
    sandbox: 'bubblewrap',
  })
})
