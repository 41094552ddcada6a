import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { say } from './support/figures.ts'
import { type ChatPlace, createChatPlace, untilServing } from './telegram/chat-place.ts'
import { type Crowd, gather, idsOf, type Talk } from './telegram/many-people.ts'
import { trouble } from './telegram/trouble.ts'
import { untilAllDone } from './telegram/until-all-done.ts'
import { earlyCalls, sentTwice, textsOf, withoutRepeats, wordsTaken } from './telegram/what-went.ts'

const crowd: Crowd = { privates: 180, groups: 20, topics: 0 }
const forum: Crowd = { privates: 0, groups: 0, topics: 6 }
const messagesEach = 3
/** Telegram's own. */
const limits = { perChatPerSecond: 1, perGroupPerMinute: 20, perSecond: 30 }
/** Each holds up its chat for 20 s. */
const hangs = 3
const maxResidentMb = 700

describe('many conversations at once over a platform that fails and limits', () => {
  test('CHAT-06 REL-03 LOOP-04 TG-01 TG-05 INT-19 200 chats: every message is handled once and in order, every answer stands once and in order, and every pause that is asked for is kept', async () => {
    say(`Telegram, 200 chats: ${await talkAll(crowd)}`)
  }, 300_000)

  test('CHAT-06 TG-04 TG-05 the topics of a forum: a pause that is asked for in one is kept in all, as the limits are the chat’s', async () => {
    say(`Telegram, a forum of 6 topics: ${await talkAll(forum)}`)
  }, 300_000)
})

/** Everybody says three things at once. Answers the figures. */
async function talkAll(who: Crowd): Promise<string> {
  const people = who.privates + who.groups + who.topics
  await using at = await createChatPlace({ people: idsOf(people), telegram: { limits } })
  const { place, telegram } = at
  await using program = at.start()
  await untilServing(telegram, program)
  const talks = gather(telegram, who)
  telegram.fault = trouble(who.topics === 0 ? hangs : 0)
  const startedAt = performance.now()
  for (let count = 1; count <= messagesEach; count += 1) {
    for (const talk of talks) talk.say(wordsOf(count, talk.place))
  }
  const ended = program.ended.then((end) => {
    throw new Error(`it ended: ${JSON.stringify(end)}\n${program.stdout}\n${program.stderr}`)
  })
  ended.catch(() => undefined)
  await Promise.race([untilAllDone(place, people * messagesEach, 240_000), ended])
  const tookS = ((performance.now() - startedAt) / 1000).toFixed(1)
  const texts = await expectInOrder(at, talks)
  expect(earlyCalls(telegram.calls)).toEqual([])
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  const residentMb = peakMb(program.pid)
  expect(residentMb).toBeLessThan(maxResidentMb)
  return `${people * messagesEach} messages, ${texts} texts sent in ${tookS} s, ${figuresOf(telegram.calls)}, ${residentMb} MB at most`
}

/** What the model was told and what people were shown, each once and in order. Answers how many texts were sent. */
async function expectInOrder({ place, telegram }: ChatPlace, talks: readonly Talk[]) {
  const taken = await place.look(wordsTaken)
  const sent = await place.look(textsOf)
  for (const talk of talks) {
    const all = Array.from({ length: messagesEach }, (_, index) => wordsOf(index + 1, talk.place))
    expect(taken.get(talk.place), 'what the model was told').toEqual(all)
    const shown = talk.answers().map(({ text }) => text)
    const repeats = sentTwice(telegram.calls, talk.place)
    expect(withoutRepeats(shown, repeats)).toEqual(sent.get(talk.place))
    expect(shown).toHaveLength((sent.get(talk.place)?.length ?? 0) + repeats.length)
    expect(shown.at(-1)).toContain(wordsOf(messagesEach, talk.place))
  }
  const unsent = await place.look((db) =>
    db.selectFrom('outbox').selectAll().where('state', '!=', 'sent').execute(),
  )
  expect(unsent).toEqual([])
  return [...sent.values()].flat().length
}

function wordsOf(count: number, place: string): string {
  return `word ${count} in ${place}`
}

function figuresOf(calls: Parameters<typeof sentTwice>[0]): string {
  const busy = calls.filter(({ outcome }) => outcome.kind === 'refused' && outcome.code === 429)
  return `${calls.length} calls, ${busy.length} asked to wait, ${sentTwice(calls).length} sent twice as the answer was dropped`
}

/** The most memory that a process has had, in megabytes. */
function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1]) / 1024)
}
