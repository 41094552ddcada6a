import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = new URL('../../src/util/keep-heap-small.ts', import.meta.url)

/** Bytes of the heap of a process that makes much garbage, of which 60,000 objects live at a time. */
async function heapAfterGarbage(prelude: string): Promise<number> {
  const program = `
    import { getHeapStatistics } from 'node:v8'
    ${prelude}
    let kept = []
    for (let round = 0; round < 30; round += 1) {
      for (let index = 0; index < 100_000; index += 1) {
        kept.push({ index, list: [index] })
        if (kept.length > 60_000) kept = []
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    console.log(getHeapStatistics().total_heap_size)
    process.exit()`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

test('SHIP-06 a process whose heap is kept small takes little for its garbage', async () => {
  const asItComes = await heapAfterGarbage('')
  const small = await heapAfterGarbage(`(await import('${module.href}')).keepHeapSmall()`)
  // 35 to 55 MB in a dozen runs, where the other takes 80 to 190.
  expect(small).toBeLessThan(70_000_000)
  expect(small).toBeLessThan(asItComes)
}, 60_000)
