import { expect, test } from 'vitest'
import { searchOverflow } from '../../../../src/core/call/output/search-overflow.ts'
import { runInThread } from '../../../../src/util/run-in-thread.ts'

const all = { offset: 0, limit: 500, column: 0, room: 50_000 }
const endless = `${'{"id":1234,"name":"order of things","price":12.5},'.repeat(100_000)}needle-77`

let state = 7
/** Of a linear congruential generator, so that each run has the same text. */
function randomBit(): boolean {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
  return ((state >> 16) & 1) === 1
}

test('OUT-09 a search in one endless line of megabytes finds what stands at its end', async () => {
  const shown = await searchOverflow(
    { ...all, content: endless, pattern: '(?i)NEEDLE-\\d+$' },
    60_000,
  )
  expect(shown).toEqual({ kind: 'window', text: expect.stringMatching(/needle-77$/) })
})

test('OUT-09 while a pattern is looked for in megabytes, other work has its turn', async () => {
  const content = endless.repeat(4)
  const before = { own: process.threadCpuUsage(), every: process.cpuUsage() }
  await searchOverflow({ ...all, content, pattern: '(?i)(?:NEEDLES|n[ae]+dles)-\\d+$' }, 60_000)
  const own = process.threadCpuUsage(before.own)
  const every = process.cpuUsage(before.every)
  // In this thread it would be nearly all; a clock would count what else holds this thread up.
  expect(own.user + own.system).toBeLessThan((every.user + every.system) / 2)
})

test('OUT-09 a search that takes too long is given up, and so is its thread', async () => {
  // Each letter can begin a match of 200 others, in an order that never repeats: 5 s of an idle processor.
  const content = Array.from({ length: 1_500_000 }, () => (randomBit() ? 'a' : 'b')).join('')
  const question = { ...all, content, pattern: 'a.{200}[^ab]' }
  const start = performance.now()
  expect(await searchOverflow(question, 500)).toEqual({ kind: 'late' })
  expect(performance.now() - start).toBeLessThan(10_000)
})

test('OUT-09 a pattern that is none is told as such', async () => {
  const shown = await searchOverflow({ ...all, content: 'a', pattern: '(' }, 60_000)
  expect(shown).toEqual({ kind: 'refused', why: expect.stringContaining('is not valid') })
})

test('OUT-09 millions of lines that match take little more memory than their text', async () => {
  const module = new URL('../../../../src/core/call/output/show-overflow.ts', import.meta.url)
  const question = { ...all, content: 'a\n'.repeat(5_000_000), pattern: 'a', offset: 4_999_998 }
  const limits = { timeMs: 120_000, heapMb: 64 }
  expect(await runInThread({ module, name: 'showOverflow' }, question, limits)).toEqual({
    kind: 'done',
    answer: {
      kind: 'window',
      text: '[matches 4999999 to 5000000 of 5000000, in 5000001 lines]\n4999999: a\n5000000: a',
    },
  })
})

test('OUT-09 matches that have no room are gone on with by their number among all', async () => {
  const content = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n')
  const question = { ...all, content, pattern: '[02468]$', offset: 3, limit: 5, room: 35 }
  expect(await searchOverflow(question, 60_000)).toEqual({
    kind: 'window',
    text: [
      '[matches 4 to 6 of 20, in 40 lines]',
      '7: line 6',
      '9: line 8',
      '11: line 10',
      '[no room for more: go on with offset 6]',
    ].join('\n'),
  })
})
