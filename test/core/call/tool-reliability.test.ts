import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { countToolUse, findToolUse } from '../../../src/db/call/model-tool-use.ts'
import { reliabilityOf } from '../../../src/domain/trust.ts'
import { newId } from '../../../src/util/ids.ts'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

async function settleAll(bench: BenchContext): Promise<void> {
  for (const one of await bench.calls()) if (one.settled_at === null) await bench.result(one, ok)
}

const countsOf = async ({ database }: BenchContext) =>
  (await findToolUse(database.db)).map(({ model, tool, successes, qualityFailures }) => [
    model,
    tool,
    successes,
    qualityFailures,
  ])

describe('the standing of a model with a tool', () => {
  test('ERR-06 falls with each call that it asked wrongly, and rises with those that work', () => {
    expect(reliabilityOf({ successes: 0, qualityFailures: 0 })).toBe(1)
    const worse = reliabilityOf({ successes: 5, qualityFailures: 2 })
    expect(worse).toBeLessThan(reliabilityOf({ successes: 5, qualityFailures: 1 }))
    expect(reliabilityOf({ successes: 6, qualityFailures: 2 })).toBeGreaterThan(worse)
  })

  test('ERR-06 counts what worked and what was asked wrongly, and nothing else', async () => {
    const model = createScriptedModel([
      calls([
        toRequest('read', { path: 'a' }),
        toRequest('read', { path: '.env' }),
        toRequest('read', {}),
        toRequest('made_up', {}),
        toRequest('also_made_up', {}),
        toRequest('list_directory', { path: 5 }),
      ]),
      call('read', { path: 'b' }),
      call('read', { path: 'c' }),
      say('done'),
    ])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    await settleAll(bench)
    await bench.step()
    const open = (await bench.calls()).at(-1)
    if (open === undefined) throw new Error('no call')
    const error = { category: 'server_error', message: 'no' } as const
    await bench.result(open, { kind: 'failed', error })
    await bench.step()
    await settleAll(bench)
    await bench.step()
    expect(await countsOf(bench)).toEqual([
      ['scripted', '(unknown)', 0, 2],
      ['scripted', 'list_directory', 0, 1],
      ['scripted', 'read', 2, 1],
    ])
    expect(await findToolUse(bench.database.db)).toMatchObject([
      { lastCategory: 'tool_not_found', lastFailureAt: expect.any(Date) },
      { lastCategory: 'type_mismatch' },
      { lastCategory: 'invalid_parameters' },
    ])
  })

  test('ERR-06 a result that comes twice, or late, is counted once', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('read', { path: 'a' }), say('done')]),
    )
    await bench.say('go')
    await bench.step()
    const [reading] = await bench.calls()
    if (reading === undefined) throw new Error('no call')
    await bench.result(reading, ok)
    await bench.result(reading, ok)
    await bench.step()
    expect(await countsOf(bench)).toEqual([['scripted', 'read', 1, 0]])
  })

  test('ERR-06 sessions that settle at once do not lose a count and do not deadlock', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('hi')]))
    const { db } = bench.database
    const turns = await Promise.all(Array.from({ length: 8 }, () => makeTurn(bench)))
    const rounds = Array.from({ length: 10 }, (_, round) => round)
    await Promise.all(
      turns.map(async ({ sessionId, turnId, messageId }, at) => {
        for (const round of rounds) {
          await db.transaction().execute(async (trx) => {
            const tools = at % 2 === 0 ? ['read', 'grep'] : ['grep', 'read']
            for (const [ordinal, tool] of tools.entries()) {
              await trx
                .insertInto('tool_call')
                .values({
                  id: newId(),
                  session_id: sessionId,
                  turn_id: turnId,
                  message_id: messageId,
                  number: round * 2 + ordinal + 1,
                  step: round + 1,
                  ordinal,
                  model_call_id: 'c',
                  tool,
                  arguments: '{}',
                  arguments_sha256: '',
                  mutating: false,
                  verdict: '{}',
                  state: tool === 'read' ? 'succeeded' : 'failed',
                  error_category: tool === 'read' ? null : 'invalid_parameters',
                  settled_at: sql<Date>`now()`,
                })
                .execute()
            }
            await countToolUse(trx, turnId)
          })
        }
      }),
    )
    expect(await countsOf(bench)).toEqual([
      ['a model', 'grep', 0, 80],
      ['a model', 'read', 80, 0],
    ])
  })
})

async function makeTurn({ database: { db } }: BenchContext) {
  const [conversation, sessionId, turnId, messageId] = [newId(), newId(), newId(), newId()]
  await db
    .insertInto('conversation')
    .values({ id: conversation, platform: 'test', external_id: conversation })
    .execute()
  await db
    .insertInto('session')
    .values({ id: sessionId, conversation_id: conversation, worker: 'default' })
    .execute()
  const owner = { session_id: sessionId, caller_id: 'test:ada' }
  await db
    .insertInto('turn')
    .values({ id: turnId, ...owner, state: 'acting' })
    .execute()
  await db
    .insertInto('message')
    .values({
      id: messageId,
      session_id: sessionId,
      turn_id: turnId,
      position: 1,
      role: 'assistant',
      author: 'a model',
      body: '{}',
    })
    .execute()
  return { sessionId, turnId, messageId }
}
