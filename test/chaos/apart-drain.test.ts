import { describe, expect, test } from 'vitest'
import { type Apart, createApart, untilReady } from '../support/apart/create-apart.ts'
import { Fleet, type Seat } from '../support/apart/fleet.ts'
import { roles } from '../support/apart/roles.ts'
import type { ChatHandle } from '../support/telegram/chat-handle.ts'
import { randomFaults } from '../support/telegram/limits/faults.ts'
import type { LoggedCall } from '../support/telegram/request-log.ts'
import { createLoad, type Load } from './apart/load.ts'
import { inWords } from './apart/reckoning.ts'
import { say } from './support/figures.ts'
import { atOnceMs, longGrace } from './support/grace.ts'
import { expectWhole } from './support/invariants.ts'
import { processesNaming, untilHeard } from './support/processes.ts'
import { lastCall, untilAsked } from './support/steps.ts'
import { ada } from './telegram/chat-place.ts'
import { untilAllDone } from './telegram/until-all-done.ts'
import { earlyCalls } from './telegram/what-went.ts'

const people = 10
const graceMs = 30_000
const endedWell = { code: 0, signal: null }
const shortGrace = { COUNTERSIGN_LIMITS_SHUTDOWN_GRACE: '1s' }
const alone = { gateway: 1, agent: 1, worker: 1 }
const patience = { timeoutMs: 60_000 }

describe('SIGTERM drains processes that run apart', () => {
  test('PROC-03 INT-19 INT-38 REL-01 one of each role, then the next of each, under load: all end within the grace, what they had is finished or handed over, and nothing is lost or doubled', async () => {
    await using load = await createLoad({ people, ending: '; sleep 0.5' })
    const { telegram } = load.apart
    telegram.fault = (call) => (isCard(call) ? busyNowAndThen(call) : undefined)
    const took: string[] = []
    for (let place = 0; place < 3; place += 1) {
      const seats = roles.flatMap((role) => load.fleet.of(role).slice(place, place + 1))
      took.push(...(await Promise.all(seats.map((seat) => replace(load, seat)))))
    }
    const figures = await load.end()
    expect(figures).toMatchObject({ interrupted: 0, unbegun: 0, answersTwice: 0, cardsTwice: 0 })
    expect(earlyCalls(telegram.calls.filter(isCard))).toEqual([])
    say(`apart, drained under load (${took.join(', ')}): ${inWords(figures)}`)
  }, 300_000)

  test('PROC-03 INT-38 a command that goes on is cancelled when the grace is over, because the worker was stopped, never interrupted', async () => {
    await using apart = await createApart({ settings: shortGrace })
    const fleet = await begun(apart)
    const sleep = `sleep 600.${process.pid}1`
    const chat = await beginCommand(apart, `echo first >> counter; ${sleep}`)
    const [worker] = seatsOf(fleet, 'worker')
    expect(await fleet.end(worker, 'SIGTERM')).toEqual(endedWell)
    expect(processesNaming(sleep)).toEqual([])
    await chat.waitForText('finished: run:', patience)
    await untilAllDone(apart.place, 1)
    expect(await lastCall(apart.place)).toMatchObject({
      state: 'cancelled',
      error_category: 'cancelled',
      result: expect.stringContaining('the worker was stopped'),
    })
    expect(apart.place.counter()).toEqual(['first'])
    await expectWhole(apart.place, 1)
  }, 180_000)

  test('PROC-03 a second SIGTERM ends a worker, an agent and a gateway at once; what ran is told as interrupted', async () => {
    await using apart = await createApart({ settings: longGrace })
    const fleet = await begun(apart)
    const sleep = `sleep 600.${process.pid}2`
    const chat = await beginCommand(apart, `echo first >> counter; ${sleep}`)
    const [worker] = seatsOf(fleet, 'worker')
    const ending = fleet.end(worker, 'SIGTERM')
    await untilHeard(worker.program.pid)
    expect(processesNaming(sleep)).not.toEqual([])
    await expectEndsAtOnce(worker, ending)
    const next = fleet.fill(worker)
    await untilReady(apart, 'worker', next)
    await chat.waitForText('interrupted: run:', patience)
    expect(processesNaming(sleep)).toEqual([])
    expect(await lastCall(apart.place)).toMatchObject({ state: 'interrupted', attempt: 1 })
    await expectAgentEnds(apart, fleet, chat)
    await expectGatewayEnds(apart, fleet, chat)
    await untilAllDone(apart.place, 2)
    await expectWhole(apart.place, 2)
    expect(apart.place.counter()).toEqual(['first'])
  }, 180_000)
})

const busyNowAndThen = randomFaults({
  seed: 20_261_122,
  rates: [[{ kind: '429', retryAfter: 2 }, 0.1]],
})

/** Nothing else is sent with buttons. */
function isCard({ method, params }: Pick<LoggedCall, 'method' | 'params'>): boolean {
  return method === 'sendMessage' && params['reply_markup'] !== undefined
}

/** Asks one to end while the others serve, and puts another in its place. Answers how long it took. */
async function replace({ fleet, apart }: Load, seat: Seat): Promise<string> {
  const asked = performance.now()
  const { role } = seat
  expect({ role, end: await fleet.end(seat, 'SIGTERM') }).toEqual({ role, end: endedWell })
  const tookMs = performance.now() - asked
  expect(tookMs).toBeLessThan(graceMs)
  await untilReady(apart, role, fleet.fill(seat))
  return `${role} ${(tookMs / 1_000).toFixed(1)} s`
}

async function begun(apart: Apart): Promise<Fleet> {
  const fleet = new Fleet(apart, alone)
  await fleet.ready()
  return fleet
}

function seatsOf(fleet: Fleet, role: Seat['role']): readonly [Seat] {
  const [seat] = fleet.of(role)
  if (seat === undefined) throw new Error(`there is no ${role}`)
  return [seat]
}

/** A command that runs and has written its first line. */
async function beginCommand({ place, telegram }: Apart, command: string): Promise<ChatHandle> {
  const chat = telegram.privateChat(ada)
  chat.send(ada, `run: ${command}`)
  await untilAsked(place)
  const card = await chat.waitForMessage(({ text }) => text.startsWith('❯'), patience)
  chat.tap(ada, card.id, 'Approve')
  await telegram.waitFor(() => place.counter().includes('first'), patience)
  return chat
}

async function expectEndsAtOnce(seat: Seat, ending: Promise<unknown>): Promise<void> {
  const asked = performance.now()
  seat.program.child.kill('SIGTERM')
  expect(await ending).toEqual({ code: 1, signal: null })
  expect(performance.now() - asked).toBeLessThan(atOnceMs)
}

/** A model that thinks on holds it up. */
async function expectAgentEnds(apart: Apart, fleet: Fleet, chat: ChatHandle): Promise<void> {
  const { place, telegram } = apart
  const [agent] = seatsOf(fleet, 'agent')
  const held = place.model.hold()
  chat.send(ada, 'a hard question')
  await telegram.waitFor(() => place.model.requestsAbout('a hard question').length === 1, patience)
  const ending = fleet.end(agent, 'SIGTERM')
  await untilHeard(agent.program.pid)
  await expectEndsAtOnce(agent, ending)
  held[Symbol.dispose]()
  await untilReady(apart, 'agent', fleet.fill(agent))
  await chat.waitForText('heard: a hard question', patience)
}

/** A platform that does not answer holds it up. */
async function expectGatewayEnds(apart: Apart, fleet: Fleet, chat: ChatHandle): Promise<void> {
  const { telegram } = apart
  const [gateway] = seatsOf(fleet, 'gateway')
  telegram.failNext('sendMessage', { kind: 'hang' })
  chat.send(ada, '/help')
  await telegram.waitFor(() => telegram.faultsLeft === 0, patience)
  const ending = fleet.end(gateway, 'SIGTERM')
  await untilHeard(gateway.program.pid)
  await expectEndsAtOnce(gateway, ending)
  await untilReady(apart, 'gateway', fleet.fill(gateway))
  await chat.waitForText('/stop', patience)
}
