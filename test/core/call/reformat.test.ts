import { describe, expect, test } from 'vitest'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const results = async (bench: BenchContext) =>
  (await bench.calls()).map(({ result }) => result ?? '')

/** Asks these in turn, a message each, then is done. */
const asking = (...requests: readonly (readonly [string, unknown])[]) =>
  createScriptedModel([...requests.map(([tool, args]) => call(tool, args)), say('done')])

describe('a call that the model asked wrongly', () => {
  test('ERR-04 is told the schema once; what the model asks next goes through the whole gate', async () => {
    const model = asking(['read', { paht: 'a' }], ['read', { path: '.env' }])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    const [wrong = '', mended = ''] = await results(bench)
    expect(wrong.split('\n').slice(0, 5)).toEqual([
      '[tool_error]',
      'category: invalid_parameters',
      expect.stringMatching(/^error: path: required field is missing; paht: unknown field$/),
      'suggestion: Review the tool schema and provide correct parameters.',
      'retryable: false',
    ])
    const [label, schema] = wrong.split('\n')[5]?.split(/: (.*)/s) ?? []
    expect(label).toBe('schema')
    expect(JSON.parse(schema ?? '')).toMatchObject({
      required: ['path'],
      additionalProperties: false,
    })
    expect(mended).toContain('category: policy_blocked')
    expect(mended).not.toContain('schema:')
  })

  test('ERR-04 a second failure of that tool in the turn has the short block, another tool its own', async () => {
    const model = asking(['read', { path: 1 }], ['read', { paht: 'a' }], ['grep', { path: 'a' }])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    const [first = '', second = '', other = ''] = await results(bench)
    expect(first).toMatch(/category: type_mismatch\n.*\n.*\n.*\nschema: \{/)
    expect(second.split('\n')).toHaveLength(5)
    expect(other).toMatch(/\nschema: \{/)
  })

  test('ERR-04 REG-05 an unknown name is told the nearest ones once', async () => {
    const model = asking(['reed', {}], ['reed', { path: 'a' }])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    const [first = '', second = ''] = await results(bench)
    expect(first).toMatch(/category: tool_not_found\nerror: there is no tool "reed"\n/)
    expect(first.split('\n')[5]).toMatch(/^nearest: read, /)
    expect(second.split('\n')).toHaveLength(5)
  })

  test('ERR-04 of two in one message the first is told; the next turn counts anew', async () => {
    const wrong = calls([toRequest('read', {}), toRequest('read', { p: 1 })])
    const model = createScriptedModel([wrong, say('done'), call('read', {}), say('done')])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    await bench.say('again')
    await bench.step()
    const told = (await results(bench)).map((result) => result.includes('\nschema: '))
    expect(told).toEqual([true, false, true])
  })

  test('ERR-04 INT-30 the count is in the rows: another agent goes on from it', async () => {
    const model = asking(['read', {}], ['glob', {}], ['bash', { command: 1 }], ['read', { p: 2 }])
    await using bench = await createBenchContext(model, { maxToolIterations: 20 })
    await bench.say('go')
    await bench.step(bench.another())
    const told = (await results(bench)).map((result) => /\n(?:schema|nearest): /.test(result))
    expect(told).toEqual([true, true, true, false])
  })

  test('ERR-04 WEB-06 what a worker says of parameters counts alike, what servers do does not', async () => {
    const model = asking(['read', { path: 'a' }], ['read', { path: 'b' }], ['read', { path: 'c' }])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    for (const category of ['server_error', 'invalid_parameters', 'invalid_parameters'] as const) {
      await bench.step()
      const open = (await bench.calls()).at(-1)
      if (open === undefined) throw new Error('no call')
      await bench.result(open, { kind: 'failed', error: { category, message: category } })
    }
    const told = (await results(bench)).map((result) => result.includes('\nschema: '))
    expect(told).toEqual([false, true, false])
  })

  test('ERR-04 OUT-09 a pattern that is none is asked wrongly too: it is told the schema, once', async () => {
    const reference = { id: '' }
    const model = createScriptedModel((_request, index) => {
      if (index === 0) return call('read', { path: 'a' })
      return index < 3 ? call('read_overflow', { ...reference, pattern: '(' }) : say('done')
    })
    await using bench = await createBenchContext(model, { overflowThreshold: 1_000 })
    await bench.say('go')
    await bench.step()
    const [reading] = await bench.calls()
    if (reading === undefined) throw new Error('no call')
    await bench.result(reading, { kind: 'succeeded', output: 'long '.repeat(1_000) })
    const [cut = ''] = await results(bench)
    reference.id = /overflow:[0-9a-f-]{36}/.exec(cut)?.[0] ?? ''
    await bench.step()
    const [, first = '', second = ''] = await results(bench)
    expect(first).toMatch(
      /category: invalid_parameters\nerror: pattern: .* is not valid.*\n.*\n.*\nschema: \{/,
    )
    expect(second.split('\n')).toHaveLength(5)
  })

  test('ERR-04 what fits asks for no hint, and a person’s own command gets none', async () => {
    const model = asking(['read', { path: 'a' }])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    for (const one of await bench.calls()) await bench.result(one, ok)
    await bench.step()
    expect(await results(bench)).toEqual(['fine'])
  })
})
