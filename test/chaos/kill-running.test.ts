import { describe, expect, test, vi } from 'vitest'
import type { RealProduct } from '../support/real-product.ts'
import { Recovery } from './support/figures.ts'
import { expectWhole, shownAnswers } from './support/invariants.ts'
import { killInRound } from './support/kills.ts'
import { createPlace, type Place } from './support/place.ts'
import { processesNaming } from './support/processes.ts'
import { killRounds } from './support/rounds.ts'
import { approve, say, untilAsked, untilCall, untilOver } from './support/steps.ts'

describe('kill -9 while a command runs', () => {
  test(
    'REL-01 LOOP-05 BOX-08 INT-15 INT-36 the command is told as interrupted, not run again, and nothing of it lives',
    () => killRunning('auto', killRounds),
    600_000,
  )

  test(
    'REL-01 LOOP-05 BOX-08 INT-15 the same where commands are plain child processes',
    () => killRunning('process', 5),
    300_000,
  )
})

async function killRunning(driver: 'auto' | 'process', rounds: number): Promise<void> {
  await using place = await createPlace({ settings: { COUNTERSIGN_SANDBOX_DRIVER: driver } })
  const recovery = new Recovery()
  const products: RealProduct[] = []
  let product = place.start()
  await product.ready
  for (let round = 0; round < rounds; round += 1) {
    products.push(product)
    const sleep = `sleep 3${process.pid}.${round}7`
    await beginCommand(place, product, round, sleep)
    await killInRound(place, product, round)
    product = place.start()
    await untilCall(place, 'interrupted')
    recovery.add(product.startedAt)
    expect(processesNaming(sleep), 'of the command lives').toEqual([])
    expect(await untilOver(place)).toMatchObject({ state: 'done' })
    expect(place.counter().filter((line) => line === `run-${round}`)).toHaveLength(1)
  }
  recovery.print(`killed while a command runs (${driver})`)
  await expectWhole(place, rounds)
  expect(place.counter()).toHaveLength(rounds)
  const answers = await answersOf(place)
  expect(answers.filter((answer) => answer.startsWith('interrupted: run: '))).toHaveLength(rounds)
  const shown = shownAnswers([...products, product])
  expect([...shown.values()]).toEqual(Array.from({ length: rounds }, () => 1))
  recovery.expectInTime()
}

/** Every second command also leaves its process group; every third round does not wait until the start was stored. */
async function beginCommand(
  place: Place,
  product: RealProduct,
  round: number,
  sleep: string,
): Promise<void> {
  const daemon = round % 2 === 0 ? '' : `setsid ${sleep} & `
  await say(product, `run: ${daemon}echo run-${round} >> counter; ${sleep}`)
  await approve(product, await untilAsked(place))
  const count = round % 2 === 0 ? 1 : 2
  await vi.waitFor(
    () => {
      expect(processesNaming(sleep).length).toBeGreaterThanOrEqual(count)
      expect(place.counter()).toContain(`run-${round}`)
    },
    { timeout: 120_000, interval: 20 },
  )
  if (round % 3 !== 0) await untilCall(place, 'running')
}

async function answersOf(place: Place): Promise<readonly string[]> {
  const rows = await place.look((db) => db.selectFrom('outbox').select('body').execute())
  return rows.map(({ body }) => JSON.parse(body)).flatMap(({ markdown }) => markdown ?? [])
}
