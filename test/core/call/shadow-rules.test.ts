import { expect, test } from 'vitest'
import { createBenchContext, ok } from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

async function judged(shadow: string | undefined) {
  const batch = calls([
    toRequest('read', { path: 'notes.txt' }),
    toRequest('bash', { command: 'ls' }),
    toRequest('read', { path: '.env' }),
  ])
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? batch : say('done'),
  )
  await using bench = await createBenchContext(model)
  const told: unknown[] = []
  const ctx = {
    ...bench.another(),
    log: {
      ...bench.ctx.log,
      info: (fields: object, words: string) => void told.push({ ...fields, words }),
    },
    ...(shadow === undefined ? {} : { shadowRules: async () => shadow }),
  }
  bench.rules.text = '{ "read": { "*": "allow", "*.env": "deny" }, "bash": "ask" }'
  await bench.say('hi')
  await bench.step(ctx)
  const [read] = await bench.calls()
  if (read !== undefined) await bench.result(read, ok)
  await bench.say('/approve')
  await bench.step(ctx)
  const rows = await bench.database.db
    .selectFrom('audit_log')
    .select('body')
    .where('kind', '=', 'decided')
    .orderBy('id')
    .execute()
  return {
    states: (await bench.calls()).map(({ tool, state }) => `${tool} ${state}`),
    rows: rows.map(({ body }) => {
      const { tool, verdict, shadow, shadow_why } = JSON.parse(body)
      return { tool, verdict, shadow, shadow_why }
    }),
    told,
  }
}

test('APPR-21 what shadow rules say otherwise is recorded with each decision and logged, and nothing comes of it', async () => {
  const without = await judged(undefined)
  const shadowed = await judged('{ "read": "deny", "bash": { "ls": "allow" } }')
  expect(shadowed.states).toEqual(without.states)
  expect(without.rows.map(({ shadow }) => shadow)).toEqual([undefined, undefined, undefined])
  expect(without.rows.map(({ verdict }) => verdict)).toEqual(
    shadowed.rows.map(({ verdict }) => verdict),
  )
  expect(shadowed.rows).toEqual([
    { tool: 'read', verdict: 'deny', shadow: undefined, shadow_why: undefined },
    { tool: 'read', verdict: 'allow', shadow: 'deny', shadow_why: 'worker: read "*" deny' },
    { tool: 'bash', verdict: 'ask', shadow: 'allow', shadow_why: 'worker: bash "ls" allow' },
  ])
  expect(shadowed.told).toEqual([
    expect.objectContaining({
      tool: 'read',
      verdict: 'allow',
      shadow: 'deny',
      words: 'shadow rules give a different verdict',
    }),
    expect.objectContaining({ tool: 'bash', verdict: 'ask', shadow: 'allow' }),
  ])
  expect(without.told).toEqual([])
})
