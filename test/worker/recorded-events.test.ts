import { describe, expect, test } from 'vitest'
import type { EventOf, ProductEvent } from '../../src/ports/observer.ts'
import { generateKeyPair } from '../../src/rules/jobs/keys.ts'
import { createSigner, signJob } from '../../src/rules/jobs/sign.ts'
import { createChildDriver } from './child-driver.ts'
import { createHarness, now } from './worker-harness.ts'

const patience = { timeout: 30_000, interval: 20 }

type Harness = Awaited<ReturnType<typeof createHarness>>

async function listen(more: Parameters<Harness['start']>[0] = {}) {
  const made = await createHarness()
  const events: ProductEvent[] = []
  const observer = { record: (event: ProductEvent) => void events.push(event) }
  const worker = await made.start({ observer, ...more })
  const kinds = () => events.map(({ kind }) => kind)
  return { made, events, kinds, at: { worker: 'local', replica: worker.replica } }
}

describe('events of a worker', () => {
  test('PROC-05 a job, its box and its run are recorded with the ids of the turn and the call, without their contents', async () => {
    const { made, events, kinds, at } = await listen()
    await using _made = made
    const facts = made.facts({ turnId: 'turn-7' })
    await made.send(made.sign(facts, { command: 'echo hunter2; exit 3' }))
    await made.answer(facts.callId)
    expect(kinds()).toEqual(['job_taken', 'box_started', 'call_ran'])
    const call = { turnId: 'turn-7', callId: facts.callId, tool: 'bash', job: 'run', attempt: 1 }
    expect(events[0]).toEqual({ kind: 'job_taken', ...call, ...at })
    expect(events[1]).toEqual({
      kind: 'box_started',
      ...at,
      conversationId: facts.conversation,
      driver: 'process',
      ok: true,
      ms: expect.any(Number),
    })
    const ran = events[2] as EventOf<'call_ran'>
    expect(ran).toEqual({
      kind: 'call_ran',
      ...call,
      ...at,
      outcome: 'succeeded',
      waitedMs: expect.any(Number),
      ms: expect.any(Number),
    })
    // The wait for the box does not count as running.
    const box = events[1] as EventOf<'box_started'>
    expect(ran.waitedMs).toBeGreaterThanOrEqual(box.ms)
    expect(JSON.stringify(events)).not.toContain('hunter2')
  })

  test('PROC-05 a job that comes again is not recorded again, nor is a warm box recorded as started', async () => {
    const { made, kinds } = await listen()
    await using _made = made
    const facts = made.facts()
    const job = made.sign(facts, { command: 'true' })
    await made.send(job)
    await made.answer(facts.callId)
    await made.send(job)
    await made.answer(facts.callId, 2)
    const other = made.facts()
    await made.send(made.sign(other, { command: 'true' }))
    await made.answer(other.callId)
    expect(kinds()).toEqual(['job_taken', 'box_started', 'call_ran', 'job_taken', 'call_ran'])
  })

  test('PROC-05 a failed call is recorded by its category, and so is a box that does not start', async () => {
    const driver = createChildDriver()
    driver.start = () => Promise.reject(new Error('no box'))
    const { made, events } = await listen({ driver })
    await using _made = made
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'true' }))
    await made.answer(facts.callId)
    expect(events).toMatchObject([
      { kind: 'job_taken' },
      { kind: 'box_started', ok: false },
      { kind: 'call_ran', outcome: 'failed', category: 'server_error', ms: 0 },
    ])
  })

  test('PROC-05 PROC-02 of a refused job only what an agent signed is recorded', async () => {
    const { made, events, at } = await listen()
    await using _made = made
    const stranger = createSigner(generateKeyPair().privateKeyPem)
    const forged = made.facts({ callId: 'hunter2', turnId: 'hunter2' })
    await made.send(signJob(stranger, forged, '{}', now()))
    const late = made.facts()
    await made.send(made.sign(late, { command: 'true' }, now() - 3_600))
    await expect.poll(() => events.length, patience).toBe(2)
    expect(events).toContainEqual({ kind: 'job_refused', ...at })
    const { turnId, callId } = late
    expect(events).toContainEqual({ kind: 'job_refused', ...at, turnId, callId })
  })
})
