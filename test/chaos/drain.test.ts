import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { RealProduct } from '../support/real-product.ts'
import { atOnceMs, longGrace } from './support/grace.ts'
import { expectWhole } from './support/invariants.ts'
import { createPlace, type Place } from './support/place.ts'
import { processesNaming, processesOf, untilHeard } from './support/processes.ts'
import { approve, lastCall, say, untilAsked, untilCall, untilOver } from './support/steps.ts'
import { createChatPlace, untilServing } from './telegram/chat-place.ts'

const patience = { timeout: 120_000, interval: 20 }
/** What it would wait for if nothing else were said. */
const defaultGraceMs = 30_000

describe('SIGTERM drains', () => {
  test('PROC-03 INT-38 a command that ends within the grace is finished, and the turn goes on after the next start', async () => {
    await using place = await createPlace()
    const product = await begin(
      place,
      'echo first >> counter; until [ -e go ]; do sleep 0.1; done; echo second >> counter',
    )
    product.signal('SIGTERM')
    await untilHeard(product.pid)
    place.putFile('go')
    expect(await product.ended).toEqual({ code: 0, signal: null })
    expect(place.counter()).toEqual(['first', 'second'])
    expect(processesOf(place.dataDir)).toEqual([])
    await expectAfterRestart(place, 'succeeded')
    expect(place.counter()).toEqual(['first', 'second'])
  }, 180_000)

  test('PROC-03 INT-38 one that does not is cancelled because the worker was stopped, never interrupted', async () => {
    const settings = { COUNTERSIGN_LIMITS_SHUTDOWN_GRACE: '1s' }
    await using place = await createPlace({ settings })
    const sleep = `sleep 3${process.pid}.1`
    const product = await begin(place, `echo first >> counter; ${sleep}`)
    product.signal('SIGTERM')
    expect(await product.ended).toEqual({ code: 0, signal: null })
    expect(processesNaming(sleep)).toEqual([])
    await expectAfterRestart(place, 'cancelled')
    expect(await lastCall(place)).toMatchObject({
      error_category: 'cancelled',
      result: expect.stringContaining('the worker was stopped'),
    })
    expect(place.counter()).toEqual(['first'])
  }, 180_000)

  test('PROC-03 a second SIGTERM ends at once; what ran is told as interrupted', async () => {
    await using place = await createPlace({ settings: longGrace })
    const sleep = `sleep 3${process.pid}.2`
    const product = await begin(place, `echo first >> counter; ${sleep}`)
    product.signal('SIGTERM')
    await untilHeard(product.pid)
    expect(processesNaming(sleep)).not.toEqual([])
    const asked = performance.now()
    product.signal('SIGTERM')
    expect(await product.ended).toEqual({ code: 1, signal: null })
    expect(performance.now() - asked).toBeLessThan(atOnceMs)
    await vi.waitFor(() => expect(processesNaming(sleep)).toEqual([]), patience)
    await expectAfterRestart(place, 'interrupted')
    expect(place.counter()).toEqual(['first'])
  }, 180_000)

  test('PROC-03 LOOP-02 a card that waits does not hold it up', async () => {
    await using place = await createPlace()
    const product = place.start()
    await product.ready
    await say(product, 'run: echo once >> counter')
    const card = await untilAsked(place)
    product.signal('SIGTERM')
    expect(await product.ended).toEqual({ code: 0, signal: null })
    const next = place.start()
    await next.ready
    await approve(next, card)
    await untilOver(place)
    expect(place.counter()).toEqual(['once'])
    await expectWhole(place, 1)
  }, 180_000)

  test('PROC-03 LOOP-02 a model that thinks on is left when the grace is over, and asked again after the next start', async () => {
    const settings = { COUNTERSIGN_LIMITS_SHUTDOWN_GRACE: '1s' }
    await using place = await createPlace({ settings })
    const product = place.start()
    await product.ready
    using held = place.model.hold()
    await say(product, 'a hard question')
    await vi.waitFor(
      () => expect(place.model.requestsAbout('a hard question')).toHaveLength(1),
      patience,
    )
    const asked = performance.now()
    product.signal('SIGTERM')
    expect(await product.ended).toEqual({ code: 0, signal: null })
    expect(performance.now() - asked).toBeLessThan(defaultGraceMs)
    held[Symbol.dispose]()
    const next = place.start()
    await next.ready
    expect(await untilOver(place)).toMatchObject({ state: 'done' })
    await expectWhole(place, 1)
  }, 180_000)

  test('PROC-03 a service whose sandbox is still tried ends at once, though the program that it tried goes on', async () => {
    const engine = join(await mkdtemp(join(tmpdir(), 'countersign-engine-')), 'docker')
    await writeFile(engine, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
    const settings = {
      COUNTERSIGN_SANDBOX_DRIVER: 'docker',
      COUNTERSIGN_SANDBOX_ENGINE: engine,
    }
    await using at = await createChatPlace({ settings })
    await using program = at.start()
    await untilServing(at.telegram, program)
    const asked = performance.now()
    program.child.kill('SIGTERM')
    expect(await program.ended).toEqual({ code: 0, signal: null })
    expect(performance.now() - asked).toBeLessThan(defaultGraceMs)
    expect(processesOf(at.place.dataDir).filter(({ part }) => part === 'postgres')).toEqual([])
  }, 180_000)
})

/** A product in which a command runs that has written its first line. */
async function begin(place: Place, command: string): Promise<RealProduct> {
  const product = place.start()
  await product.ready
  await say(product, `run: ${command}`)
  await approve(product, await untilAsked(place))
  await vi.waitFor(() => expect(place.counter()).toContain('first'), patience)
  await untilCall(place, 'running')
  return product
}

async function expectAfterRestart(
  place: Place,
  state: 'succeeded' | 'cancelled' | 'interrupted',
): Promise<void> {
  const next = place.start()
  await next.ready
  expect(await untilOver(place)).toMatchObject({ state: 'done' })
  expect(await lastCall(place)).toMatchObject({ state, attempt: 1 })
  await expectWhole(place, 1)
}
