import { describe, expect, test } from 'vitest'
import type { RealProduct } from '../support/real-product.ts'
import { Recovery } from './support/figures.ts'
import { expectWhole, shownAnswers } from './support/invariants.ts'
import { killInRound } from './support/kills.ts'
import { createPlace } from './support/place.ts'
import { killRounds } from './support/rounds.ts'
import { approval, approve, lastCall, say, untilAsked, untilOver } from './support/steps.ts'

const rounds = killRounds

describe('kill -9 while a card waits', () => {
  test('REL-01 LOOP-02 INT-16 INT-17 the card is answerable after the restart, and its command runs exactly once', async () => {
    await using place = await createPlace()
    const recovery = new Recovery()
    const products: RealProduct[] = []
    let product = place.start()
    await product.ready
    for (let round = 0; round < rounds; round += 1) {
      products.push(product)
      await say(product, `run: echo card-${round} >> counter`)
      const card = await untilAsked(place)
      await killInRound(place, product, round)
      product = place.start()
      await product.ready
      // Two people tap at once: one tap counts.
      await Promise.all([approve(product, card), product.act(approval(card))])
      recovery.add(product.startedAt)
      await untilOver(place)
      expect(await lastCall(place)).toMatchObject({ state: 'succeeded', attempt: 1 })
      expect(place.counter().filter((line) => line === `card-${round}`)).toHaveLength(1)
    }
    recovery.print('killed while a card waits')
    await expectWhole(place, rounds)
    expect(place.counter()).toHaveLength(rounds)
    const shown = shownAnswers([...products, product])
    expect([...shown.values()]).toEqual(Array.from({ length: rounds }, () => 1))
    recovery.expectInTime()
  }, 600_000)
})
