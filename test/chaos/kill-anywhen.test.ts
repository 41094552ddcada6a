import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { PersonsDeed, RealProduct } from '../support/real-product.ts'
import { Recovery, say as tellFigure } from './support/figures.ts'
import { expectWhole, shownAnswers } from './support/invariants.ts'
import { killInRound } from './support/kills.ts'
import { createPlace, deed, type Place } from './support/place.ts'
import { killRounds } from './support/rounds.ts'
import { approval, lastCall, untilAsked, untilOver } from './support/steps.ts'

const rounds = killRounds
const latestKillMs = 600

describe('kill -9 at any moment', () => {
  test('REL-01 LOOP-04 LOOP-05 INT-11 INT-12 INT-16 killed up to 600 ms after the tap: at most one execution, the turn ends, one answer', async () => {
    await using place = await createPlace()
    const run = new Run(place)
    for (let round = 0; round < rounds; round += 1) {
      await run.send(deed({ kind: 'message', text: `run: echo any-${round} >> counter` }))
      const tap = approval(await untilAsked(place))
      await run.sendAndKill(tap, round)
      await expectOneEnd(place, round)
    }
    await run.expectEnd('killed after the tap', rounds)
  }, 600_000)

  test('REL-01 LOOP-04 INT-16 INT-17 killed up to 600 ms after the message: it is answered once, and its card asks once', async () => {
    await using place = await createPlace()
    const run = new Run(place)
    for (let round = 0; round < rounds; round += 1) {
      const message = deed({ kind: 'message', text: `run: echo any-${round} >> counter` })
      await run.sendAndKill(message, round)
      await run.send(approval(await untilAsked(place)))
      await expectOneEnd(place, round)
      expect(place.counter().filter((line) => line === `any-${round}`)).toHaveLength(1)
    }
    await run.expectEnd('killed after the message', rounds)
    const approvals = await place.look((db) => db.selectFrom('approval').select('id').execute())
    expect(approvals).toHaveLength(rounds)
  }, 600_000)
})

/** A call that says it succeeded ran once; one that was interrupted once or never; nothing else may come of it. */
async function expectOneEnd(place: Place, round: number): Promise<void> {
  expect(await untilOver(place)).toMatchObject({ state: 'done' })
  const call = await lastCall(place)
  const ran = place.counter().filter((line) => line === `any-${round}`).length
  expect(['succeeded 1', 'interrupted 1', 'interrupted 0']).toContain(`${call.state} ${ran}`)
}

/** One data directory and the processes that lived over it, one after the other. */
class Run {
  readonly #place: Place
  readonly #products: RealProduct[]
  readonly #recovery = new Recovery()

  constructor(place: Place) {
    this.#place = place
    this.#products = [place.start()]
  }

  /** Sends an update as platforms do: again, with the same id, until it is confirmed. */
  async send(what: PersonsDeed): Promise<void> {
    while (!(await this.#product.act(what))) await delay(50)
  }

  /** Sends an update and kills the product some moment later; starts it again, which takes what was not confirmed. */
  async sendAndKill(what: PersonsDeed, round: number): Promise<void> {
    await this.#product.ready
    const taken = this.#product.act(what)
    await delay(Math.random() * latestKillMs)
    await killInRound(this.#place, this.#product, round)
    this.#products.push(this.#place.start())
    if (!(await taken)) await this.send(what)
    await this.#product.ready
    this.#recovery.add(this.#product.startedAt)
  }

  async expectEnd(what: string, count: number): Promise<void> {
    this.#recovery.print(`${what}, at any moment`)
    await expectWhole(this.#place, count)
    const shown = [...shownAnswers(this.#products).values()]
    expect(shown).toHaveLength(count)
    // One that was killed between sending and recording is sent again.
    expect(Math.max(...shown)).toBeLessThanOrEqual(2)
    const calls = await this.#place.look((db) =>
      db.selectFrom('tool_call').select('state').execute(),
    )
    const interrupted = calls.filter(({ state }) => state === 'interrupted').length
    const twice = shown.filter((count) => count > 1).length
    tellFigure(`${what}: ${interrupted} interrupted, ${twice} answers shown twice, 0 lost`)
    this.#recovery.expectInTime()
  }

  get #product(): RealProduct {
    const product = this.#products.at(-1)
    if (product === undefined) throw new Error('nothing was started')
    return product
  }
}
