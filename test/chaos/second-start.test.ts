import { describe, expect, test } from 'vitest'
import { RealProgram } from '../support/real-product.ts'
import { createPlace } from './support/place.ts'
import { approve, say, untilAsked, untilOver } from './support/steps.ts'

describe('a second start over the same data directory', () => {
  test('STORE-01 INT-36 is refused in plain words that name the first, which goes on', async () => {
    await using place = await createPlace()
    const { dataDir: cwd, environment } = place
    await using first = place.start()
    await first.ready
    await say(first, 'run: echo once >> counter')
    const card = await untilAsked(place)
    await using second = new RealProgram(['start'], { cwd, environment })
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.stderr).toBe(
      `error[DATA_DIRECTORY_IN_USE]: ${cwd} is in use by process ${first.pid}: stop it first, or choose another directory with COUNTERSIGN_DATA_DIR\n`,
    )
    await approve(first, card)
    expect(await untilOver(place)).toMatchObject({ state: 'done' })
    expect(place.counter()).toEqual(['once'])
  }, 180_000)

  test('STORE-01 INT-36 two that start at the same moment over a fresh one: exactly one runs', async () => {
    await using place = await createPlace({ isEmpty: true })
    const pair = [place.start(), place.start()]
    const ready = await Promise.allSettled(pair.map((product) => product.ready))
    expect(ready.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const loser = pair[ready.findIndex(({ status }) => status === 'rejected')]
    const winner = pair[ready.findIndex(({ status }) => status === 'fulfilled')]
    expect(loser?.said).toContain(`is in use by process ${winner?.pid}`)
  }, 180_000)

  test('STORE-01 REL-01 one that is killed anywhere in its first start leaves nothing in the way of the next', async () => {
    for (const afterMs of [100, 500, 900, 1_300, 1_800, 2_300]) {
      await using place = await createPlace({ isEmpty: true })
      const killed = place.start()
      await Promise.race([killed.ready, new Promise((resolve) => setTimeout(resolve, afterMs))])
      killed.signal('SIGKILL')
      await killed.ended
      await using next = place.start()
      await next.ready
      await say(next, 'hello')
      expect(await untilOver(place)).toMatchObject({ state: 'done' })
    }
  }, 300_000)
})
