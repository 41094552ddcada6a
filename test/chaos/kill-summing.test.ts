import { expect, test, vi } from 'vitest'
import { expectWhole } from './support/invariants.ts'
import { killInRound } from './support/kills.ts'
import { createPlace } from './support/place.ts'
import { approve, lastCall, say, untilAsked, untilOver } from './support/steps.ts'

const rounds = 3

test('OUT-13 REL-01 kill -9 while a model sums up an output: the summary is made after the restart, and the turn ends', async () => {
  await using place = await createPlace({
    settings: {
      COUNTERSIGN_TOOLS_SUMMARIZE_OUTPUT: 'true',
      COUNTERSIGN_TOOLS_OVERFLOW_THRESHOLD: '300',
    },
  })
  const untilSummaries = (count: number) =>
    vi.waitFor(() => expect(place.model.summaries()).toHaveLength(count), {
      timeout: 120_000,
      interval: 20,
    })
  let product = place.start()
  await product.ready
  for (let round = 0; round < rounds; round += 1) {
    await say(product, `run: seq ${round} 500`)
    const card = await untilAsked(place)
    const held = place.model.hold()
    await approve(product, card)
    await untilSummaries(round * 2 + 1)
    await killInRound(place, product, round)
    product = place.start()
    await untilSummaries(round * 2 + 2)
    held[Symbol.dispose]()
    expect(await untilOver(place)).toMatchObject({ state: 'done' })
    const call = await lastCall(place)
    expect(call).toMatchObject({ state: 'succeeded', summary_state: 'done' })
    expect(call.summary).toMatch(/^\[a model summed up .*\]\nsummary \d+$/)
    expect(call.output).toContain('characters left out')
  }
  await expectWhole(place, rounds)
}, 600_000)
