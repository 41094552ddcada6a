import { expect, test } from 'vitest'
import { createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

test('OUT-09 a window of a long output stays a window, also when the output is one endless line', async () => {
  const id = { value: '' }
  const model = createScriptedModel((_request, index) => {
    if (index === 0) return call('read', { path: 'a' })
    return index === 1 ? call('read_overflow', { id: id.value }) : say('done')
  })
  await using bench = await createBenchContext(model, { overflowThreshold: 1_000 })
  await bench.say('hi')
  await bench.step()
  const [reading] = await bench.calls()
  if (reading === undefined) throw new Error('no call')
  await bench.result(reading, { kind: 'succeeded', output: 'x'.repeat(3_000_000) })
  const cut = (await bench.calls())[0]?.result ?? ''
  id.value = /overflow:[0-9a-f-]{36}/.exec(cut)?.[0] ?? ''
  await bench.step()
  await bench.step()
  const back = (await bench.calls())[1]
  expect(back?.state).toBe('succeeded')
  expect(back?.result).toContain('[lines 1 to 1 of 1]')
  expect(back?.result?.length).toBeLessThan(1_200)
})
