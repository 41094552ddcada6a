import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import type { RealProgram } from '../support/real-product.ts'
import type { TelegramStandIn } from '../support/telegram/telegram.ts'
import { say } from './figures.ts'
import { expectWhole } from './invariants.ts'
import { type ApiWire, createApiWire, type Poll } from './telegram/api-wire.ts'
import { ada, type ChatPlace, createChatPlace, untilServing } from './telegram/chat-place.ts'
import { Talkers } from './telegram/talkers.ts'
import { untilAllDone } from './telegram/until-all-done.ts'

const people = Array.from({ length: 8 }, (_, index) => 2_001 + index)
/** A lease is 15 s, and is asked for every second. */
const takeOverMs = 30_000
const stillMs = 18_000
const takeOvers = 2
const strangerMs = 10_000
/** How long a sending may be under way. */
const callMs = 20_000

describe('two products with the same bot over one database', () => {
  test('TG-01 INT-18 INT-21 REL-01 the polling one is killed and killed again: the other takes over, one polls at a time, and nothing is done twice', async () => {
    await using two = await createTwo()
    const { at, living } = two
    await Promise.all(living.map(({ program }) => untilServing(at.telegram, program)))
    const talkers = new Talkers(at.telegram, people)
    const ending = new AbortController()
    const talking = talkers.talk(ending.signal)
    const took: number[] = []
    for (let round = 0; round < takeOvers; round += 1) {
      await delay(2_000)
      const polling = await poller(at.telegram, living)
      took.push(await killAndWait(two, polling))
    }
    await delay(2_000)
    took.push(await stopAndWait(at.telegram, living))
    ending.abort()
    await talking
    await at.telegram.waitFor(() => at.telegram.pendingUpdates().length === 0)
    const doubled = await expectDoneOnce(two, talkers)
    expect(overlaps(two.wires)).toEqual([])
    expect(Math.max(...took)).toBeLessThan(takeOverMs)
    const seconds = took.map((ms) => (ms / 1000).toFixed(1)).join(', ')
    say(
      `Telegram, two products: ${talkers.said} orders, taken over after ${seconds} s (the last was asked to end), ${doubled}`,
    )
  }, 300_000)

  test('TG-01 INT-18 LOOP-04 the polling one stands still for longer than its lease and goes on: the other has taken over, and nothing is done twice', async () => {
    await using two = await createTwo()
    const { at, living } = two
    await Promise.all(living.map(({ program }) => untilServing(at.telegram, program)))
    const polling = await poller(at.telegram, living)
    const talkers = new Talkers(at.telegram, people)
    const ending = new AbortController()
    const talking = talkers.talk(ending.signal)
    await delay(1_000)
    polling.program.child.kill('SIGSTOP')
    const stoppedAt = performance.now()
    await delay(stillMs)
    polling.program.child.kill('SIGCONT')
    const goesOnAt = performance.now()
    await delay(4_000)
    ending.abort()
    await talking
    const doubled = await expectDoneOnce(two, talkers)
    const late = overlaps(two.wires).filter(
      ({ from }) => from < stoppedAt || from > goesOnAt + takeOverMs,
    )
    expect(late, 'both polled beside the hand-over').toEqual([])
    expect(await poller(at.telegram, living)).not.toBe(polling)
    const conflicts = conflictsIn(two.wires)
    say(
      `Telegram, two products, one still for ${stillMs / 1000} s: ${talkers.said} orders, ${conflicts} conflicts told, ${doubled}`,
    )
  }, 300_000)
})

describe('somebody else polls with the same token', () => {
  test('TG-01 TG-05 THREAT-14 the conflicts are taken calmly and said without the token, and messages are handled once when it is over', async () => {
    await using at = await createChatPlace()
    const { place, telegram } = at
    await using program = at.start()
    await untilServing(telegram, program)
    const chat = telegram.privateChat(ada)
    const until = performance.now() + strangerMs
    const before = telegram.callsOf('getUpdates').length
    let asked = 0
    for (; performance.now() < until; asked += 1) await pollAsStranger(telegram)
    const ours = telegram.callsOf('getUpdates').length - before - asked
    chat.send(ada, 'a question')
    await chat.waitForText('heard: a question', { timeoutMs: 60_000 })
    await untilAllDone(place, 1)
    await expectWhole(place, 1)
    // A pause of at least two seconds lies between two tries.
    expect(ours).toBeLessThan(strangerMs / 1_000)
    const log = readFileSync(join(place.dataDir, 'countersign.log'), 'utf8')
    expect(log).toContain('409')
    for (const text of [log, program.stdout, program.stderr]) {
      expect(text).not.toContain(telegram.token)
    }
    say(
      `Telegram: somebody else polled ${asked} times in ${strangerMs / 1_000} s, we ${ours} times`,
    )
  }, 180_000)
})

async function pollAsStranger({ url, token }: TelegramStandIn): Promise<void> {
  const answer = await fetch(`${url}/bot${token}/getUpdates?timeout=1`)
  await answer.text()
}

interface Living {
  readonly program: RealProgram
  readonly wire: ApiWire
}

interface Two extends AsyncDisposable {
  readonly at: ChatPlace
  readonly living: Living[]
  /** Of all products that there were. */
  readonly wires: ApiWire[]
  /** When one was killed, in Unix milliseconds. */
  readonly killedAt: number[]
  start(): Promise<Living>
}

async function createTwo(): Promise<Two> {
  const resources = new AsyncDisposableStack()
  const { connection, url } = resources.use(await createTestDatabase())
  const settings = { COUNTERSIGN_WORKER_TOKEN: 'an-enrolment-token-for-tests' }
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
  return { at, living, wires, killedAt: [], start, [Symbol.asyncDispose]: dispose }
}

/** The one that polls now. */
function poller(telegram: TelegramStandIn, living: readonly Living[]): Promise<Living> {
  const what = 'one of the two polls'
  return telegram.waitFor(() => living.find(isPolling), { what, timeoutMs: takeOverMs })
}

function isPolling({ wire }: Living): boolean {
  return wire.polls.some(({ to }) => to === undefined)
}

/** Kills the one that polls and starts it again. Answers after how many milliseconds the other one polls. */
async function killAndWait(two: Two, killed: Living): Promise<number> {
  const { at, living, killedAt, start } = two
  killed.program.child.kill('SIGKILL')
  const since = performance.now()
  killedAt.push(Date.now())
  await killed.program.ended
  living.splice(living.indexOf(killed), 1)
  await poller(at.telegram, living)
  const tookMs = performance.now() - since
  const next = await start()
  living.push(next)
  await untilServing(at.telegram, next.program)
  return tookMs
}

/** Asks the one that polls to end. Answers after how many milliseconds the other one polls. */
async function stopAndWait(telegram: TelegramStandIn, living: Living[]): Promise<number> {
  const asked = await poller(telegram, living)
  living.splice(living.indexOf(asked), 1)
  asked.program.child.kill('SIGTERM')
  const since = performance.now()
  await poller(telegram, living)
  const tookMs = performance.now() - since
  expect(await asked.program.ended).toEqual({ code: 0, signal: null })
  return tookMs
}

/** Answers the figures. */
async function expectDoneOnce(two: Two, talkers: Talkers): Promise<string> {
  const { place } = two.at
  await untilAllDone(place, talkers.said, 90_000)
  await talkers.tapWhatStillAsks()
  await untilAllDone(place, talkers.said, 90_000)
  await expectWhole(place, talkers.said)
  const lines = place.counter()
  const all = talkers.told()
  for (const { word, cards, answers } of all) {
    expect(lines.filter((line) => line === word).length, word).toBeLessThanOrEqual(1)
    for (const { buttons } of cards) expect(buttons, word).toEqual([])
    for (const shown of [cards, answers]) expectTwiceOnlyByKill(two, shown)
  }
  for (const life of talkers.cardLives()) {
    const ranks = life.map(rankOf)
    expect(ranks, life.join('\n')).toEqual(ranks.toSorted((a, b) => a - b))
  }
  const cards = all.reduce((sum, told) => sum + told.cards.length - 1, 0)
  const answers = all.reduce((sum, told) => sum + told.answers.length - 1, 0)
  const interrupted = all.length - lines.length
  return `${interrupted} not run, 0 ran twice, ${cards} cards and ${answers} answers sent twice`
}

/** A second copy only where a kill fell between the sending of the first and its record. */
function expectTwiceOnlyByKill(
  { killedAt }: Two,
  shown: readonly { readonly at: number; readonly text: string }[],
): void {
  expect(shown.length).toBeGreaterThan(0)
  for (const { at, text } of shown.slice(0, -1)) {
    const isByKill = killedAt.some((kill) => at <= kill && kill - at < callMs)
    expect(isByKill, `sent twice: ${text}`).toBe(true)
  }
}

/** How far a card has come, by what its last line says. */
function rankOf(line: string): number {
  if (line.includes('Waiting')) return 0
  if (!line.includes('→')) return 1
  return line.includes('→ running') ? 2 : 3
}

/** Pairs of polls of different products that were under way at the same time: from when. */
function overlaps(wires: readonly ApiWire[]): readonly { readonly from: number }[] {
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

function conflictsIn(wires: readonly ApiWire[]): number {
  return wires.flatMap(({ polls }) => polls).filter(({ status }) => status === 409).length
}
