import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { RealProduct } from '../support/real-product.ts'
import { Recovery } from './support/figures.ts'
import { expectWhole, shownAnswers } from './support/invariants.ts'
import { createPlace, type Place } from './support/place.ts'
import { killNow, processesOf, signalAll } from './support/processes.ts'
import { approval, lastCall, say, untilAsked, untilOver } from './support/steps.ts'

const rounds = 3
const patience = { timeout: 120_000, interval: 20 }

describe('the embedded PostgreSQL goes away under the product', () => {
  test('INT-32 STORE-01 killed while a command runs: it is started again and the result is not lost', async () => {
    await using place = await createPlace()
    await using product = place.start()
    await product.ready
    const recovery = new Recovery()
    for (let round = 0; round < rounds; round += 1) {
      await beginCommand(place, product, round)
      const killedAt = performance.now()
      killPostgres(place)
      expect(await untilOver(place)).toMatchObject({ state: 'done' })
      recovery.add(killedAt)
      expect(await lastCall(place)).toMatchObject({ state: 'succeeded', attempt: 1 })
      expect(place.counter()).toHaveLength(2 * (round + 1))
    }
    recovery.print('PostgreSQL killed while a command runs, until the answer')
    await expectAllAnswered(place, product, rounds)
  }, 300_000)

  test('INT-32 STORE-01 killed while a card waits: the tap that follows at once counts', async () => {
    await using place = await createPlace()
    await using product = place.start()
    await product.ready
    const recovery = new Recovery()
    for (let round = 0; round < rounds; round += 1) {
      await say(product, `run: echo ${round} >> counter`)
      const tap = approval(await untilAsked(place))
      const killedAt = performance.now()
      killPostgres(place)
      while (!(await product.act(tap))) await delay(50)
      recovery.add(killedAt)
      expect(await untilOver(place)).toMatchObject({ state: 'done' })
      expect(place.counter()).toHaveLength(round + 1)
    }
    recovery.print('PostgreSQL killed while a card waits, until the tap is taken')
    await expectAllAnswered(place, product, rounds)
  }, 300_000)

  test('INT-32 REL-01 stopped for 10 s while a command runs and while a card waits: everything goes on', async () => {
    await using place = await createPlace()
    await using product = place.start()
    await product.ready
    await beginCommand(place, product, 0)
    await pausePostgres(place)
    await untilOver(place)
    await say(product, 'run: echo 1 >> counter; echo 1 >> counter')
    const tap = approval(await untilAsked(place))
    const paused = pausePostgres(place)
    const taken = product.act(tap)
    await paused
    if (!(await taken)) while (!(await product.act(tap))) await delay(50)
    await untilOver(place)
    expect(place.counter()).toEqual(['0', '0', '1', '1'])
    await expectAllAnswered(place, product, 2)
  }, 300_000)
})

/** A command that has written its first line and writes its second one a second later. */
async function beginCommand(place: Place, product: RealProduct, round: number): Promise<void> {
  await say(product, `run: echo ${round} >> counter; sleep 1; echo ${round} >> counter`)
  await product.act(approval(await untilAsked(place)))
  await vi.waitFor(() => expect(place.counter()).toContain(String(round)), patience)
}

function killPostgres(place: Place): void {
  killNow(serversOf(place))
}

async function pausePostgres(place: Place): Promise<void> {
  const paused = serversOf(place)
  signalAll(paused, 'SIGSTOP')
  await delay(10_000)
  signalAll(paused, 'SIGCONT')
}

/** The server and everything it has started. */
function serversOf(place: Place): readonly number[] {
  return processesOf(place.dataDir).flatMap(({ pid, part }) => (part === 'postgres' ? [pid] : []))
}

async function expectAllAnswered(place: Place, product: RealProduct, turns: number): Promise<void> {
  await expectWhole(place, turns)
  const shown = [...shownAnswers([product]).values()]
  expect(shown).toHaveLength(turns)
  // One whose record was lost with the server is sent again.
  expect(Math.max(...shown)).toBeLessThanOrEqual(2)
}
