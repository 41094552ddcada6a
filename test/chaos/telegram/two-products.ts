import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createTestDatabase } from '../../support/database/database.ts'
import type { RealProgram } from '../../support/real-product.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'
import { type ApiWire, createApiWire, type Poll } from './api-wire.ts'
import { type ChatPlace, createChatPlace, untilServing } from './chat-place.ts'

/** A lease is 15 s, and is asked for every second; a busy machine may hold up either. */
export const takeOverMs = 60_000

/** A product that runs, with its own way to Telegram. */
export interface Living {
  readonly program: RealProgram
  readonly wire: ApiWire
}

/** A kill, in Unix milliseconds. */
export interface Kill {
  readonly at: number
  /** By then what was on its way from the killed one has arrived. */
  readonly until: number
}

/** Two products over one database. */
export interface Two extends AsyncDisposable {
  readonly at: ChatPlace
  readonly living: Living[]
  /** Of all products that there were. */
  readonly wires: ApiWire[]
  /** When one was killed. */
  readonly killed: Kill[]
  start(): Promise<Living>
}

export async function createTwo(people: readonly number[]): Promise<Two> {
  const resources = new AsyncDisposableStack()
  const { connection, url } = resources.use(await createTestDatabase())
  const settings = { COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone' }
  const at = resources.use(
    await createChatPlace({ people, settings, connection: { ...connection, url } }),
  )
  const wires: ApiWire[] = []
  const start = async (): Promise<Living> => {
    const wire = resources.use(await createApiWire(at.telegram.url))
    wires.push(wire)
    return { wire, program: resources.use(at.start(wire.url)) }
  }
  const living = [await start(), await start()]
  const dispose = () => resources.disposeAsync()
  return { at, living, wires, killed: [], start, [Symbol.asyncDispose]: dispose }
}

/** The one that polls now. */
export function poller(telegram: TelegramStandIn, living: readonly Living[]): Promise<Living> {
  const what = 'one of the two polls'
  return telegram.waitFor(() => living.find(isPolling), { what, timeoutMs: takeOverMs })
}

function isPolling({ wire }: Living): boolean {
  return wire.polls.some(({ to }) => to === undefined)
}

/** Kills the one that polls and starts it again. Answers after how many milliseconds the other one polls. */
export async function killAndWait(two: Two, killed: Living): Promise<number> {
  const { at, living, start } = two
  killed.program.child.kill('SIGKILL')
  const since = performance.now()
  const [kill] = await Promise.all([untilArrived(Date.now()), killed.program.ended])
  two.killed.push(kill)
  living.splice(living.indexOf(killed), 1)
  await poller(at.telegram, living)
  const tookMs = performance.now() - since
  const next = await start()
  living.push(next)
  await untilServing(at.telegram, next.program)
  return tookMs
}

/** What it sent last lies in our own sockets, which are read within a second of our own. */
export async function untilArrived(at: number): Promise<Kill> {
  await delay(1_000)
  return { at, until: Date.now() }
}

/** Asks the one that polls to end. Answers after how many milliseconds the other one polls. */
export async function stopAndWait(telegram: TelegramStandIn, living: Living[]): Promise<number> {
  const asked = await poller(telegram, living)
  living.splice(living.indexOf(asked), 1)
  asked.program.child.kill('SIGTERM')
  const since = performance.now()
  await poller(telegram, living)
  const tookMs = performance.now() - since
  expect(await asked.program.ended).toEqual({ code: 0, signal: null })
  return tookMs
}

/** Pairs of polls of different products that were under way at the same time: from when. */
export function overlaps(wires: readonly ApiWire[]): readonly { readonly from: number }[] {
  return wires.flatMap((one, index) =>
    wires
      .slice(index + 1)
      .flatMap((other) => one.polls.flatMap((a) => other.polls.flatMap((b) => overlapOf(a, b)))),
  )
}

function overlapOf(a: Poll, b: Poll): readonly { readonly from: number }[] {
  const from = Math.max(a.from, b.from)
  const end = Number.POSITIVE_INFINITY
  return from < Math.min(a.to ?? end, b.to ?? end) ? [{ from }] : []
}

export function conflictsIn(wires: readonly ApiWire[]): number {
  return wires.flatMap(({ polls }) => polls).filter(({ status }) => status === 409).length
}
