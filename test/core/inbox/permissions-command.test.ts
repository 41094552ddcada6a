import { expect, test } from 'vitest'
import { handleInbox } from '../../../src/core/inbox/handle.ts'
import type { InboundBody, ShownRules } from '../../../src/core/inbox/inbound.ts'
import { receive } from '../../../src/core/inbox/store-event.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import { createRule } from '../../../src/rules/gate/permissions/rule.ts'
import { newId } from '../../../src/util/ids.ts'
import { ada, type BenchContext, createBenchContext, eve } from '../../support/bench-context.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'

const operator = {
  rules: [createRule({ layer: 'operator', tool: 'bash', pattern: 'sudo *', action: 'deny' })],
}

interface Asked {
  readonly text?: string | undefined
  readonly rules?: ShownRules
  readonly privately?: string
  readonly isShared?: true
}

/** What the command answers, by the place where it is posted. */
async function ask(bench: BenchContext, as: Caller, asked: Asked) {
  const { db } = bench.database
  const rules = asked.rules ?? { operator, read: async () => asked.text }
  const body: InboundBody = { kind: 'message', text: '/permissions' }
  const { conversationId } = await receive(bench.ctx, {
    platform: 'test',
    externalId: newId(),
    conversation: `room-${newId()}`,
    callerId: as.id,
    body: {
      ...body,
      ...(asked.privately !== undefined && { privately: asked.privately }),
      ...(asked.isShared && { isShared: true }),
    },
  })
  await handleInbox({ ...bench.ctx, people: {}, rules }, conversationId)
  const rows = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select(['body', 'conversation.id as id'])
    .orderBy('outbox.id')
    .execute()
  return rows.map((row) => ({
    here: row.id === conversationId,

    ...JSON.parse(row.body),
  }))
}

async function answer(as: Caller, asked: Asked) {
  await using bench = await createBenchContext(createScriptedModel([]))
  const posted = await ask(bench, as, asked)
  expect(posted).toHaveLength(1)
  return posted[0]
}

const text =
  '{\n  "read": { "*": "allow", "*.env": "deny" },\n  // granted by test:eve\u202e\n  "bash": "ask"\n}'

test('CHAT-03 GATE-02 /permissions tells a user the layers, and shows none of the rules', async () => {
  const { text: words, quoted } = await answer(ada, { text })
  expect(words).toContain('Operator: 1 rule (0 allow, 0 ask, 1 deny); what they deny is final.')
  expect(words).toContain('Worker default: 3 rules (1 allow, 1 ask, 1 deny).')
  expect(words).toContain('Granted to you in this session: 0; /grants lists them.')
  expect(words).toContain('Approvers and operators see the rules themselves.')
  expect(words).not.toContain('.env')
  expect(quoted).toBe('')
})

test('CHAT-03 APPR-16 /permissions shows an approver the whole text, with what cannot be seen made visible', async () => {
  const { text: words, quoted } = await answer(eve, { text })
  expect(words).toContain('Worker default: 3 rules')
  expect(quoted).toBe(text.replace('\u202e', '⟨U+202E⟩'))
})

test('GATE-10 GATE-09 APPR-21 /permissions warns each time the gate is off, the rules are damaged or an example does not hold', async () => {
  for (const [rules, warning] of [
    ['{"*": "allow"}', 'Warning: the gate is off'],
    ['{\n"*": "yes"}', 'Warning: line 2 is invalid, and until it is fixed every call asks.'],
    ['{"bash": "ask" // no match: ls\n}', 'Warning: the example in line 1 does not hold'],
  ] as const) {
    for (const as of [ada, eve]) expect((await answer(as, { text: rules })).text).toContain(warning)
  }
})

test('GATE-05 where there are no rules yet the defaults count', async () => {
  const { text: words, quoted } = await answer(eve, { text: undefined })
  expect(words).toContain('30 rules')
  expect(quoted).toContain('"*credentials*": "deny"')
})

test('CHAT-03 a gateway that has no such file says where the rules are', async () => {
  const { text: words, quoted } = await answer(eve, { rules: { operator } })
  expect(words).toContain('a file that only its agents have; countersign permissions show')
  expect(quoted).toBe('')
})

test('CHAT-03 a very long text is not cut without a word', async () => {
  const { quoted } = await answer(eve, { text: `{} // ${'x'.repeat(30_000)}` })
  expect(quoted).toMatch(
    /x\n… and 10,006 more characters: countersign permissions show prints them all$/,
  )
})

test('THREAT-6 where others read and nobody knows where the caller alone does, /permissions is not answered', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const [refusal, ...more] = await ask(bench, eve, { text, isShared: true })
  expect(refusal).toMatchObject({
    here: true,
    onlyFor: eve.id,
    text: expect.stringContaining('not shown where others can read'),
  })
  expect(refusal).not.toHaveProperty('quoted')
  expect(more).toEqual([])
})

test('THREAT-6 /permissions answers privately where others read', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const posted = await ask(bench, eve, { text, privately: 'eve alone' })
  expect(posted.map(({ here, text: words }) => [here, String(words).slice(0, 14)])).toEqual([
    [false, 'Every tool cal'],
    [true, 'Sent to you in'],
  ])
  expect(posted[1]).not.toHaveProperty('quoted')
})
