import { describe, expect, test } from 'vitest'
import { createLogObserver } from '../../src/app/logs/observe.ts'
import { endExpired, sweep } from '../../src/core/turn/sweep.ts'
import { ModelError } from '../../src/ports/model.ts'
import type { ProductEvent } from '../../src/ports/observer.ts'
import {
  ada,
  type BenchContext,
  createBenchContext,
  eve,
  ok,
  showCards,
} from '../support/bench-context.ts'
import { deliverAll } from '../support/deliver-all.ts'
import { createRecordingPlatform } from '../support/recording-platform.ts'
import {
  call,
  calls,
  createScriptedModel,
  type Script,
  say,
  toRequest,
} from '../support/scripted-model.ts'

const secret = 'hunter2-of-the-argument'
const output = 'hunter3-of-the-output'
const words = 'hunter4-of-a-person'
const risky = (text = `touch ${secret}`) => toRequest('bash', { command: text })

/** Kind and what tells one event of a kind from another. */
function sketch(event: ProductEvent): string {
  switch (event.kind) {
    case 'message_handled':
      return `${event.kind} ${event.act}`
    case 'model_answered':
      return `${event.kind} ${event.outcome}`
    case 'call_decided':
      return `${event.kind} ${event.verdict}${event.isFirst ? '' : ' again'}`
    case 'approval_decided':
      return `${event.kind} ${event.decision}`
    case 'call_settled':
      return `${event.kind} ${event.result}`
    case 'turn_ended':
      return `${event.kind} ${event.state}`
    case 'delivered':
      return `${event.kind} ${event.what} ${event.outcome}`
    default:
      return event.kind
  }
}

const sketches = (bench: BenchContext) => bench.events.map(sketch)

async function tap(bench: BenchContext, action: 'approve' | 'deny' | 'just_deny', as = ada) {
  const { id } = await bench.database.db
    .selectFrom('approval')
    .select('id')
    .where('state', 'in', ['pending', 'denied'])
    .orderBy('number')
    .executeTakeFirstOrThrow()
  await showCards(bench.database.db)
  await bench.act({ kind: 'tap', approvalId: id, action, messageId: '1' }, as)
}

async function bench(script: Script, settings: Parameters<typeof createBenchContext>[1] = {}) {
  return createBenchContext(createScriptedModel(script), settings)
}

describe('events', () => {
  test('PROC-05 a message, its card, the tap, the result and the answer are told once each, in order, without a word of them', async () => {
    await using made = await bench([calls([risky()], words), say(words)])
    const platform = createRecordingPlatform()
    const deliver = () => deliverAll(made.ctx, platform)
    const conversation = await made.say(words)
    await made.step()
    await deliver()
    await tap(made, 'approve')
    await made.step()
    const [sent] = await made.calls()
    if (sent === undefined) throw new Error('no call')
    await made.started(sent)
    await made.result(sent, { kind: 'succeeded', output })
    await deliver()
    await made.step()
    await deliver()
    expect(sketches(made)).toEqual([
      'turn_started',
      'message_handled message',
      'model_answered done',
      'call_decided ask',
      'approval_asked',
      'delivered remark sent',
      'delivered card sent',
      'approval_decided approved',
      'message_handled tap',
      'call_sent',
      'call_started',
      'call_settled succeeded',
      'delivered card_update sent',
      'model_answered done',
      'turn_ended done',
      'delivered answer sent',
    ])
    expectOneStory(made, conversation)
    expect(linesOf(made.events)).not.toMatch(/hunter/)
  })

  test('PROC-05 what an event counts is what the rows say', async () => {
    const prices = { scripted: { input: 1_000_000, output: 0 } }
    await using made = await bench([calls([risky()]), say('done')], { prices })
    await made.say('hi')
    await made.step()
    await tap(made, 'approve')
    await made.step()
    const [sent] = await made.calls()
    if (sent === undefined) throw new Error('no call')
    await made.result(sent, { kind: 'failed', error: { category: 'timeout', message: 'm' } }, 1, 70)
    await made.step()
    const { db } = made.database
    const approval = await db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
    const turn = await db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
    const between = (end: Date | null, start: Date) => (end?.getTime() ?? 0) - start.getTime()
    expect(made.events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          kind: 'model_answered',
          inputTokens: 100,
          outputTokens: 10,
          costUsd: 100,
          step: 1,
        }),
        expect.objectContaining({
          kind: 'approval_decided',
          waitedMs: between(approval.decided_at, approval.created_at),
        }),
        expect.objectContaining({
          kind: 'call_settled',
          category: 'timeout',
          ms: 70,
          attempt: 1,
          worker: 'default',
          driver: 'bubblewrap',
        }),
        expect.objectContaining({
          kind: 'turn_ended',
          steps: 2,
          ms: between(turn.ended_at, turn.created_at),
        }),
      ]),
    )
  })

  test('PROC-05 a result that comes again is told as late, and an answer to a card that was answered not at all', async () => {
    await using made = await bench([calls([risky()]), say('done')])
    await made.say('hi')
    await made.step()
    await tap(made, 'approve')
    await made.step()
    const [sent] = await made.calls()
    if (sent === undefined) throw new Error('no call')
    await made.result(sent, ok)
    await made.result(sent, ok)
    const { id: approvalId } = await made.database.db
      .selectFrom('approval')
      .select('id')
      .executeTakeFirstOrThrow()
    await made.act({ kind: 'tap', approvalId, action: 'deny', messageId: '1' }, eve)
    const told = sketches(made)
    expect(told.filter((line) => line.startsWith('call_settled'))).toHaveLength(1)
    expect(told.filter((line) => line === 'result_late')).toHaveLength(1)
    expect(told.filter((line) => line.startsWith('approval_decided'))).toHaveLength(1)
  })

  test('PROC-05 an update that comes twice is told once', async () => {
    await using made = await bench([say('done')])
    await made.act({ kind: 'message', text: 'hi' }, ada, 'update-1')
    await made.act({ kind: 'message', text: 'hi' }, ada, 'update-1')
    expect(sketches(made)).toEqual(['turn_started', 'message_handled message'])
  })

  test('PROC-05 a denial of the gate and a tool that does not exist are told as that, by no name a model made up', async () => {
    await using made = await bench([
      calls([toRequest('read', { path: '/data/key' }), toRequest(`say ${secret}`, {})]),
      say('done'),
    ])
    await made.say('hi')
    await made.step()
    expect(sketches(made).slice(2, -2)).toEqual([
      'model_answered done',
      'call_decided deny',
      'call_settled denied',
      'call_decided unjudged',
      'call_settled failed',
    ])
    expect(linesOf(made.events)).not.toContain('hunter')
  })

  test('PROC-05 LOOP-14 stopping tells the end of the question, of its call and of the turn', async () => {
    await using made = await bench([calls([risky()]), say('done')])
    await made.say('hi')
    await made.step()
    made.events.length = 0
    await made.say('/stop')
    expect(sketches(made)).toEqual([
      'turn_ended stopped',
      'approval_decided cancelled',
      'call_settled cancelled',
      'message_handled message',
    ])
  })

  test('PROC-05 APPR-08 questions that nobody answered are told as expired, whatever becomes of the turn', async () => {
    for (const onExpiry of ['deny', 'stop'] as const) {
      await using made = await bench([calls([risky()]), say('done')], { onExpiry })
      await made.say('hi')
      await made.step()
      const { db } = made.database
      await db
        .updateTable('approval')
        .set({ expires_at: new Date(0) })
        .execute()
      made.events.length = 0
      await endExpired(made.ctx)
      expect(sketches(made)).toEqual(
        onExpiry === 'deny'
          ? ['approval_decided expired', 'call_settled denied']
          : ['approval_decided expired', 'turn_ended stopped', 'call_settled cancelled'],
      )
    }
  })

  test('PROC-05 APPR-07 an Always is told as one, and what it settles as granted', async () => {
    await using made = await bench([calls([risky('wc a'), risky('wc a')]), say('done')])
    await made.say('hi')
    await made.step()
    const { id: approvalId } = await made.database.db
      .selectFrom('approval')
      .select('id')
      .orderBy('number')
      .executeTakeFirstOrThrow()
    await made.act({ kind: 'decision', approvalId, decision: { kind: 'always' } }, ada)
    await made.step()
    expect(sketches(made).filter((line) => line.startsWith('approval_decided'))).toEqual([
      'approval_decided always',
      'approval_decided granted',
    ])
  })

  test('PROC-05 a denial is told when it is made, and its call when the reason is there', async () => {
    await using made = await bench([calls([risky()]), say('done')])
    await made.say('hi')
    await made.step()
    made.events.length = 0
    await tap(made, 'deny')
    expect(sketches(made)).toEqual(['approval_decided denied', 'message_handled tap'])
    await tap(made, 'just_deny')
    expect(sketches(made).slice(2)).toEqual(['call_settled denied', 'message_handled tap'])
  })

  test('PROC-05 a model that fails is told by whose fault, one whose turn was stopped as superseded', async () => {
    await using failing = await bench([new ModelError('refused', words)])
    await failing.say('hi')
    await failing.step()
    expect(sketches(failing).slice(2)).toEqual(['model_answered refused', 'turn_ended failed'])
    expect(linesOf(failing.events)).not.toContain('hunter')

    const model = createScriptedModel([say('late')], { delayMs: 60_000 })
    await using stopped = await createBenchContext(model)
    await stopped.say('hi')
    const stepping = stopped.step()
    await expect.poll(() => stopped.ctx.runningModelCalls.size, { timeout: 30_000 }).toBe(1)
    await stopped.say('/stop')
    await stepping
    expect(sketches(stopped).slice(2).sort()).toEqual([
      'message_handled message',
      'model_answered superseded',
      'turn_ended stopped',
    ])
  })

  test('PROC-05 THREAT-5 a message that nobody enrolled signed, and a job that is sent again, are told', async () => {
    await using made = await bench([call('read', { path: 'a' }), say('done')])
    await made.say('hi')
    await made.step()
    made.events.length = 0
    const { receiveWorkerMessage } = await import(
      '../../src/core/call/result/receive-worker-message.ts'
    )
    await receiveWorkerMessage(made.ctx, { body: '{}', signature: 'x' })
    await made.database.db
      .updateTable('tool_call')
      .set({ sent_at: new Date(0) })
      .execute()
    await sweep(made.ctx, new Date())
    expect(sketches(made)).toEqual(['worker_message_dropped', 'call_resent'])
  })
})

/** All of it is of one conversation, one turn and one call, and says so. */
function expectOneStory(made: BenchContext, conversation: string): void {
  const of = (name: string) =>
    new Set(
      made.events
        .flatMap((event) => Object.entries(event))
        .flatMap(([key, value]) => (key === name ? [value] : [])),
    )
  expect([...of('conversationId')]).toEqual([conversation])
  expect(of('turnId').size).toBe(1)
  expect(of('callId').size).toBe(1)
  expect(of('approvalId').size).toBe(1)
  const [turn] = of('turnId')
  const lines = linesOf(made.events)
    .split('\n')
    .filter((line) => line.includes(String(turn)))
  // All but the change of a card, which names the conversation.
  expect(lines).toHaveLength(made.events.length - 1)
}

/** As the log has them. */
function linesOf(events: readonly ProductEvent[]): string {
  const lines: string[] = []
  const keep = (fields: Readonly<Record<string, unknown>>, message: string) =>
    void lines.push(JSON.stringify({ ...fields, msg: message }))
  const observer = createLogObserver({ debug: keep, info: keep, warn: keep, error: keep })
  for (const event of events) observer.record(event)
  return lines.join('\n')
}
