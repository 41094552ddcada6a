import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { TelegramStandIn } from '../support/telegram/telegram.ts'
import { say } from './support/figures.ts'
import { expectWhole } from './support/invariants.ts'
import { ada, createChatPlace, untilServing } from './telegram/chat-place.ts'
import { Talkers } from './telegram/talkers.ts'
import {
  conflictsIn,
  createTwo,
  killAndWait,
  overlaps,
  poller,
  stopAndWait,
  type Two,
  takeOverMs,
  untilArrived,
} from './telegram/two-products.ts'
import { untilAllDone } from './telegram/until-all-done.ts'

const people = Array.from({ length: 8 }, (_, index) => 2_001 + index)
const stillMs = 18_000
const takeOvers = 2
const handOverMs = 30_000
const strangerMs = 10_000
/** How long a sending may be under way. */
const callMs = 20_000

describe('two products with the same bot over one database', () => {
  test('TG-01 INT-18 INT-21 REL-01 the polling one is killed and killed again: the other takes over, one polls at a time, and nothing is done twice', async () => {
    await using two = await createTwo(people)
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
    await using two = await createTwo(people)
    const { at, living } = two
    await Promise.all(living.map(({ program }) => untilServing(at.telegram, program)))
    const polling = await poller(at.telegram, living)
    const talkers = new Talkers(at.telegram, people)
    const ending = new AbortController()
    const talking = talkers.talk(ending.signal)
    await delay(1_000)
    polling.program.child.kill('SIGSTOP')
    const stoppedAt = performance.now()
    // What it was sending then counts as what a killed one was sending, and again when it goes on.
    two.killed.push(await untilArrived(Date.now()))
    await delay(stillMs)
    polling.program.child.kill('SIGCONT')
    const goesOnAt = performance.now()
    two.killed.push(await untilArrived(Date.now()))
    await delay(3_000)
    ending.abort()
    await talking
    const doubled = await expectDoneOnce(two, talkers)
    const late = overlaps(two.wires).filter(
      ({ from }) => from < stoppedAt || from > goesOnAt + handOverMs,
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
  { killed }: Two,
  shown: readonly { readonly at: number; readonly text: string }[],
): void {
  expect(shown.length).toBeGreaterThan(0)
  for (const { at, text } of shown.slice(0, -1)) {
    const isByKill = killed.some((kill) => at <= kill.until && kill.at - at < callMs)
    expect(isByKill, `sent twice: ${text}`).toBe(true)
  }
}

/** How far a card has come, by what its last line says. */
function rankOf(line: string): number {
  if (line.includes('Waiting')) return 0
  if (!line.includes('→')) return 1
  return line.includes('→ running') ? 2 : 3
}
