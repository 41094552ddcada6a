import { describe, expect, test } from 'vitest'
import type { CallOutcome, FilteredOutput } from '../../../src/rules/jobs/contract.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const whole = Array.from({ length: 342 }, (_, at) => `line ${at + 1}`).join('\n')
const envelope = {
  stdout: whole,
  stderr: '',
  exit_code: 0,
  truncated: false,
  duration_ms: 5,
  timed_out: false,
}

function filtered(more: Partial<FilteredOutput> = {}): FilteredOutput {
  return {
    text: 'line 1\nline 342',
    rules: [{ name: 'make', confidence: 'full' }],
    confidence: 'full',
    linesBefore: 342,
    linesAfter: 28,
    ...more,
  }
}

async function settle(bench: BenchContext, outcome: CallOutcome) {
  await bench.say('hi')
  return settleNext(bench, outcome)
}

/** Of a turn that waits for its call, and of the next one of the same model. */
async function settleNext(bench: BenchContext, outcome: CallOutcome) {
  await bench.step()
  const waiting = (await bench.calls()).at(-1)
  if (waiting === undefined) throw new Error('no call')
  await bench.result(waiting, outcome)
  const settled = (await bench.calls()).at(-1)
  if (settled === undefined) throw new Error('no call')
  return settled
}

const reads = () =>
  createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'tool' ? say('ok') : call('read', { path: 'a' }),
  )

async function lastQuoted(bench: BenchContext): Promise<unknown> {
  const rows = await bench.database.db.selectFrom('outbox').select('body').orderBy('id').execute()
  return JSON.parse(rows.at(-1)?.body ?? '{}').quoted
}

describe('filtered output', () => {
  test('OUT-02 the model is shown what filters left, and reads the rest by its reference', async () => {
    const id = { value: '' }
    const model = createScriptedModel((_request, index) => {
      if (index === 0) return call('read', { path: 'a' })
      return index === 1
        ? call('read_overflow', { id: id.value, offset: 99, limit: 1 })
        : say('done')
    })
    await using bench = await createBenchContext(model)
    const outcome = { kind: 'succeeded', output: whole, envelope, filtered: filtered() } as const
    const settled = await settle(bench, outcome)
    const [, reference = ''] =
      /^line 1\nline 342\n\[filtered: 28 of 342 lines; all of them with (overflow:\S+)\]$/.exec(
        settled.result ?? '',
      ) ?? []
    id.value = reference
    expect(settled.truncated).toBe(false)
    expect(settled.envelope).toContain('line 200')
    await bench.step()
    await bench.step()
    expect((await bench.calls())[1]?.result).toContain('line 100')
  })

  test('OUT-02 of a call that failed the filtered text stands behind its error', async () => {
    await using bench = await createBenchContext(reads())
    const error = { category: 'timeout', message: 'It took too long' } as const
    const { result, output } = await settle(bench, {
      kind: 'failed',
      error,
      output: whole,
      envelope,
      filtered: filtered(),
    })
    expect(result).toContain('It took too long')
    expect(result).toContain('\n\nline 1\nline 342\n[filtered: ')
    expect(output).toBe('line 1\nline 342')
  })

  test('OUT-09 what is too long after filters too is cut, and the whole of it is kept', async () => {
    await using bench = await createBenchContext(reads(), { overflowThreshold: 100 })
    const text = whole.slice(0, 1_000)
    const { result, truncated } = await settle(bench, {
      kind: 'succeeded',
      output: whole,
      filtered: filtered({ text }),
    })
    expect(truncated).toBe(true)
    const references = [...(result ?? '').matchAll(/overflow:(\S{36})/g)].map(([, id]) => id)
    expect(new Set(references).size).toBe(1)
    const kept = await bench.database.db.selectFrom('tool_overflow').selectAll().execute()
    expect(kept).toMatchObject([{ id: references[0], content: whole }])
  })

  test('OUT-06 /output has the statistics where lines were removed, and all of them on request', async () => {
    await using bench = await createBenchContext(reads())
    await settle(bench, { kind: 'succeeded', output: whole, envelope, filtered: filtered() })
    await bench.say('/output 1')
    const shown = (await bench.notices()).at(-1) ?? ''
    expect(shown).toContain('[shell] 342 lines -> 28 lines, 91.8% filtered')
    expect(await lastQuoted(bench)).toBe('line 1\nline 342')
    await bench.say('/output 1 all')
    expect(await lastQuoted(bench)).toBe(whole)
  })

  test('OUT-06 there are no statistics where no line was removed', async () => {
    await using bench = await createBenchContext(reads())
    const { text: _text, ...same } = filtered({ linesAfter: 342 })
    const settled = await settle(bench, { kind: 'succeeded', output: whole, filtered: same })
    expect(settled.result).toBe(whole)
    await bench.say('/output')
    expect((await bench.notices()).at(-1)).not.toContain('[shell]')
  })

  test('OUT-06 at the terminal a line says so at once, elsewhere not, nor where nothing was removed', async () => {
    const read = call('read', { path: 'a' })
    await using bench = await createBenchContext(createScriptedModel([read, read, read, say('ok')]))
    const outcome = { kind: 'succeeded', output: whole, filtered: filtered() } as const
    await settle(bench, outcome)
    expect(await bench.notices()).toEqual([])
    await bench.database.db.updateTable('conversation').set({ platform: 'console' }).execute()
    await settleNext(bench, outcome)
    const { text: _text, ...same } = filtered({ linesAfter: 342 })
    await settleNext(bench, { ...outcome, filtered: same })
    expect(await bench.notices()).toEqual(['[shell] 342 lines -> 28 lines, 91.8% filtered'])
  })

  test('OUT-06 /status has the totals of full, partial and fallback', async () => {
    await using bench = await createBenchContext(reads())
    for (const confidence of ['full', 'partial', 'full', 'fallback'] as const) {
      await settle(bench, { kind: 'succeeded', output: whole, filtered: filtered({ confidence }) })
      await bench.step()
    }
    await bench.say('/status')
    expect((await bench.notices()).at(-1)).toContain(
      'Output filters (full/partial/fallback): 2/1/1',
    )
  })
})
