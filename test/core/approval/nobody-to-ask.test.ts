import { describe, expect, test } from 'vitest'
import type { CoreSettings } from '../../../src/core/context.ts'
import { saveCaller } from '../../../src/db/people/callers.ts'
import { anybody, type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const three = { ...anybody, people: { low: 3, medium: 3, high: 3 } }
const operators = { low: 'operator', medium: 'operator', high: 'operator' } as const

/** Ada asks for these commands; Eve is an approver, Bob is not. */
async function asked(
  approvers: CoreSettings['approvers'],
  commands: readonly string[] = ['touch a'],
  prepare: (bench: BenchContext) => Promise<void> = async () => undefined,
): Promise<BenchContext> {
  const requests = commands.map((command) => toRequest('bash', { command }))
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? calls(requests) : say('done'),
  )
  const bench = await createBenchContext(model, { approvers })
  await prepare(bench)
  await bench.say('hi')
  await bench.step()
  return bench
}

const statesOf = async (bench: BenchContext) =>
  (await bench.calls()).map(({ state, error_category }) => error_category ?? state)

const questions = ({ database }: BenchContext) =>
  database.db.selectFrom('approval').selectAll().execute()

describe('a call that must ask', () => {
  test('ERR-07 where nobody could approve it is confirmation_required at once, and the turn goes on', async () => {
    await using bench = await asked({ ...anybody, roles: operators })
    const [call] = await bench.calls()
    expect(call).toMatchObject({ state: 'failed', error_category: 'confirmation_required' })
    expect(call?.result).toBe(
      [
        '[tool_error]',
        'category: confirmation_required',
        'error: a call like this must be approved by an operator; nobody could',
        'suggestion: No person could be asked for confirmation. Ask the person to start it.',
        'retryable: false',
      ].join('\n'),
    )
    expect(await questions(bench)).toEqual([])
    expect(bench.jobs).toEqual([])
    expect((await bench.notices()).at(-1)).toBe('done')
    const { calls_used } = await bench.database.db
      .selectFrom('session')
      .select('calls_used')
      .executeTakeFirstOrThrow()
    expect(calls_used).toBe(0)
    const { db } = bench.database
    expect(
      await db.selectFrom('audit_log').select(['kind', 'result', 'error_category']).execute(),
    ).toEqual([
      { kind: 'decided', result: null, error_category: null },
      { kind: 'settled', result: 'blocked', error_category: 'confirmation_required' },
    ])
  })

  test('ERR-07 APPR-12 where there are too few', async () => {
    await using bench = await asked(three)
    expect((await bench.calls())[0]?.result).toContain(
      'must be approved by three people: the requester or approvers; only 2 people could',
    )
  })

  test('ERR-07 APPR-17 where the one approver is who asked, and may not approve it', async () => {
    await using bench = await asked(
      { ...anybody, allowSelf: false },
      ['touch a'],
      async ({ database }) => {
        await saveCaller(database.db, { id: 'test:eve', name: 'Eve', role: 'user' })
        await saveCaller(database.db, { id: 'test:ada', name: 'Ada', role: 'approver' })
      },
    )
    expect(await statesOf(bench)).toEqual(['confirmation_required'])
  })

  test('ERR-07 what waits behind such a call goes on', async () => {
    await using bench = await asked({ ...anybody, roles: { ...anybody.roles, high: 'operator' } }, [
      'rm a',
      'touch b',
    ])
    expect(await statesOf(bench)).toEqual(['confirmation_required', 'awaiting_approval'])
    expect(await questions(bench)).toHaveLength(1)
  })

  test('ERR-07 is asked where there is somebody, be it only by the configuration', async () => {
    await using bench = await asked({ ...anybody, allowSelf: false })
    expect(await statesOf(bench)).toEqual(['awaiting_approval'])
    const people = { test2: { users: [], approvers: [], operators: ['@olga'] } }
    await using expected = await asked(
      { ...anybody, roles: operators },
      ['touch a'],
      async (it) => {
        Object.assign(it.ctx, { people })
      },
    )
    expect(await statesOf(expected)).toEqual(['awaiting_approval'])
  })
})
