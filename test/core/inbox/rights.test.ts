import { expect, test } from 'vitest'
import { handleInbox } from '../../../src/core/inbox/handle.ts'
import { receive } from '../../../src/core/inbox/store-event.ts'
import { saveCaller } from '../../../src/db/people/callers.ts'
import { type Caller, may, type Right } from '../../../src/domain/caller.ts'
import { ada, createBenchContext, eve } from '../../support/bench-context.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

const olga: Caller = { id: 'test:olga', name: 'Olga', role: 'operator' }

const commands: readonly (readonly [string, Right, RegExp])[] = [
  ['/budget lift', 'lift_budgets', /^Only an operator may lift a budget/],
  ['/worker other', 'choose_worker', /^Only an operator chooses the worker/],
  ['/permissions', 'see_rules', /Approvers and operators see the rules themselves/],
  ['/revoke w1', 'allow_for_everybody', /^Only an approver or operator can revoke/],
  ['/away 1h', 'decide_for_others', /^Only people who answer the approvals of others/],
  ['/audit', 'read_whole_audit', /^No calls of test:/],
]

test('CHAT-01 CHAT-03 each command refuses whom the table of rights does not name, and nobody else', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('hi')]))
  await saveCaller(bench.database.db, olga)
  for (const [line, right, refusal] of commands) {
    for (const caller of [ada, eve, olga]) {
      await bench.say(line, caller)
      const answer = (await bench.notices()).at(-1) ?? ''
      expect([line, caller.name, refusal.test(answer)]).toEqual([
        line,
        caller.name,
        !may(caller, right),
      ])
    }
  }
})

test('CHAT-03 TERM-03 CHAT-07 /help lists what a terminal alone takes there, and nowhere else', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('hi')]))
  await bench.say('/help')
  expect((await bench.notices()).at(-1)).not.toContain('/upload')
  const body = { kind: 'message', text: '/help' } as const
  const event = {
    platform: 'console',
    conversation: 'local',
    callerId: ada.id,
    externalId: '1',
    body,
  }
  const { conversationId } = await receive(bench.ctx, event)
  await handleInbox(bench.ctx, conversationId)
  const help = (await bench.notices()).at(-1)
  expect(help).toMatch(/^\/upload path +put a file/m)
  expect(help).toMatch(/^!command +run a command/m)
})
