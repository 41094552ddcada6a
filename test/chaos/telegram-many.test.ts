import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { FaultHook } from '../support/telegram/faults.ts'
import { randomFaults } from '../support/telegram/faults.ts'
import { say } from './figures.ts'
import { createChatPlace, untilServing } from './telegram/chat-place.ts'
import { gather, idsOf } from './telegram/many-people.ts'
import { untilAllDone } from './telegram/until-all-done.ts'
import { answersOf, earlyCalls, sentTwice, wordsTaken } from './telegram/what-went.ts'

const crowd = { privates: 180, groups: 14, topics: 6 }
const people = crowd.privates + crowd.groups + crowd.topics
const messagesEach = 3
const seed = 20_261_121
const hangs = 3
const maxResidentMb = 700

describe('200 conversations at once', () => {
  test('CHAT-06 REL-03 LOOP-04 TG-01 TG-05 INT-19 over a platform that fails and limits: every message is handled once and in order, every answer stands once and in order, and every pause that is asked for is kept', async () => {
    await using at = await createChatPlace({ people: idsOf(people) })
    const { place, telegram } = at
    await using program = at.start()
    await untilServing(telegram, program)
    const talks = gather(telegram, crowd)
    telegram.limits = { perChatPerSecond: 1, perGroupPerMinute: 20, perSecond: 30 }
    telegram.fault = faults()
    const startedAt = performance.now()
    for (let count = 1; count <= messagesEach; count += 1) {
      for (const talk of talks) talk.say(`word ${count} in ${talk.place}`)
    }
    await untilAllDone(place, people * messagesEach, 240_000)
    const tookS = ((performance.now() - startedAt) / 1000).toFixed(1)

    const taken = await place.look(wordsTaken)
    const answers = await place.look(answersOf)
    let doubled = 0
    for (const talk of talks) {
      const said = Array.from({ length: messagesEach }, (_, index) => index + 1)
      expect(taken.get(talk.place)).toEqual(said.map((count) => `word ${count} in ${talk.place}`))
      const dropped = sentTwice(telegram.calls, talk.place)
      const expected = (answers.get(talk.place) ?? []).flatMap((text) => [
        text,
        ...dropped.filter((twice) => twice === text),
      ])
      expect(talk.answers().map(({ text }) => text)).toEqual(expected)
      expect(expected.at(-1)).toBe(`heard: word ${messagesEach} in ${talk.place}`)
      doubled += dropped.length
    }
    expect(earlyCalls(telegram.calls)).toEqual([])
    expect(telegram.tooEarly).toBe(0)
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0, {
      what: 'every update is confirmed',
    })
    const dead = await place.look((db) =>
      db.selectFrom('outbox').selectAll().where('state', '!=', 'sent').execute(),
    )
    expect(dead).toEqual([])
    const residentMb = peakMb(program.pid)
    expect(residentMb).toBeLessThan(maxResidentMb)
    const busy = telegram.calls.filter(
      ({ outcome }) => outcome.kind === 'refused' && outcome.code === 429,
    )
    const sent = [...answers.values()].flat().length
    say(
      `Telegram: ${people} conversations, ${people * messagesEach} messages, ${sent} answers in ${tookS} s, ${telegram.calls.length} calls, ${busy.length} asked to wait, ${doubled} answers twice (dropped behind), ${residentMb} MB at most`,
    )
  }, 300_000)
})

/** A few sendings hang until the product gives up on them; beside that, chance. */
function faults(): FaultHook {
  const byChance = randomFaults({
    seed,
    rates: [
      [{ kind: '429', retryAfter: 1 }, 0.02],
      [{ kind: '429', retryAfter: 2 }, 0.02],
      [{ kind: 'drop-before' }, 0.03],
      [{ kind: 'drop-after' }, 0.03],
      [{ kind: 'status', code: 500, description: 'Internal Server Error' }, 0.02],
      [{ kind: 'status', code: 502 }, 0.02],
      [{ kind: 'delay', ms: 300 }, 0.05],
    ],
  })
  let left = hangs
  return (call) => {
    if (left > 0 && call.method === 'sendMessage' && call.index % 50 === 0) {
      left -= 1
      return { kind: 'hang' }
    }
    return byChance(call)
  }
}

/** The most memory that a process has had, in megabytes. */
function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1]) / 1024)
}
