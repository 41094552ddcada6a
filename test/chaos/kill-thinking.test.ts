import { describe, expect, test, vi } from 'vitest'
import type { RealProduct } from '../support/real-product.ts'
import { Recovery } from './support/figures.ts'
import { expectWhole, shownAnswers } from './support/invariants.ts'
import { killInRound } from './support/kills.ts'
import { createPlace, type Place } from './support/place.ts'
import { killRounds } from './support/rounds.ts'
import { approve, say, untilAsked, untilOver } from './support/steps.ts'

const rounds = killRounds

describe('kill -9 while the model thinks', () => {
  test('REL-01 LOOP-02 INT-30 the turn goes on after the restart and gives one answer, and what had run does not run again', async () => {
    await using place = await createPlace()
    const recovery = new Recovery()
    const products: RealProduct[] = []
    let product = place.start()
    await product.ready
    for (let round = 0; round < rounds; round += 1) {
      products.push(product)
      // Every second time the model thinks about what a command gave.
      const order = round % 2 === 0 ? `thought ${round}` : `run: echo think-${round} >> counter`
      using held = await makeThink(place, product, order)
      await killInRound(place, product, round)
      product = place.start()
      await vi.waitFor(
        () => expect(place.model.requestsAbout(order)).toHaveLength(held.asked + 1),
        {
          timeout: 120_000,
          interval: 20,
        },
      )
      recovery.add(product.startedAt)
      held[Symbol.dispose]()
      expect(await untilOver(place)).toMatchObject({ state: 'done' })
      expect(place.model.requestsAbout(order)).toHaveLength(held.asked + 1)
    }
    recovery.print('killed while the model thinks')
    await expectWhole(place, rounds)
    expect(new Set(place.counter()).size).toBe(rounds / 2)
    expect(place.counter()).toHaveLength(rounds / 2)
    const shown = shownAnswers([...products, product])
    expect([...shown.values()]).toEqual(Array.from({ length: rounds }, () => 1))
    recovery.expectInTime()
  }, 600_000)
})

/** Brings the model to where it is asked for the words that end the turn, and keeps it there. */
async function makeThink(place: Place, product: RealProduct, order: string) {
  const { model } = place
  const isCommand = order.startsWith('run: ')
  if (isCommand) {
    await say(product, order)
    const card = await untilAsked(place)
    const held = model.hold()
    await approve(product, card)
    return untilHeld(held, 2)
  }
  const held = model.hold()
  await say(product, order)
  return untilHeld(held, 1)

  async function untilHeld(held: Disposable, asked: number) {
    await vi.waitFor(() => expect(model.requestsAbout(order)).toHaveLength(asked), {
      timeout: 120_000,
      interval: 20,
    })
    return { asked, [Symbol.dispose]: () => held[Symbol.dispose]() }
  }
}
