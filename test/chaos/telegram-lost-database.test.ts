import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../support/database/database.ts'
import type { ChatHandle } from '../support/telegram/chat-handle.ts'
import type { TelegramStandIn } from '../support/telegram/telegram.ts'
import { Recovery } from './support/figures.ts'
import { expectWhole } from './support/invariants.ts'
import { killNow, processesOf } from './support/processes.ts'
import { untilAsked } from './support/steps.ts'
import { ada, createChatPlace, untilServing, whileRunning } from './telegram/chat-place.ts'
import { untilAllDone } from './telegram/until-all-done.ts'
import { createWire } from './telegram/wire.ts'

const bob = { id: 42, is_bot: false, first_name: 'Bob' }
const cleo = { id: 43, is_bot: false, first_name: 'Cleo' }
const people = [ada.id, bob.id, cleo.id]
const away = 'The database is unavailable'
const awayMs = 8_000
const patience = { timeoutMs: 60_000 }
const kills = 3

describe('the database goes away while Telegram is polled', () => {
  test('STORE-04 INT-32 LOOP-04 for some seconds: nothing is confirmed, people are told once, and then everything is done once and in order', async () => {
    await using lost = await createLosable()
    const { at, wire } = lost
    const { place, telegram } = at
    await using program = at.start()
    await untilServing(telegram, program)
    const [ofAda, ofBob, ofCleo] = chats(telegram)
    ofAda.send(ada, 'run: echo once >> counter')
    await untilAsked(place)
    const card = await ofAda.waitForText('Approval 1', patience)
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0, patience)

    await wire.cut()
    const cutAt = performance.now()
    const tap = ofAda.tap(ada, card.id, 'Approve')
    ofBob.send(bob, 'bob first')
    ofBob.send(bob, 'bob second')
    ofCleo.send(cleo, 'cleo')
    expect((await tap.waitForAnswer(patience)).text).toContain(away)
    await ofBob.waitForText(away, patience)
    await ofCleo.waitForText(away, patience)
    await delay(Math.max(0, cutAt + awayMs - performance.now()))
    expect(telegram.pendingUpdates()).toHaveLength(4)
    await wire.mend()

    const recovery = new Recovery()
    const mendedAt = performance.now()
    await untilAllDone(place, 4, 90_000)
    recovery.add(mendedAt)
    recovery.print('Telegram: the database was away, from its return until all is done')
    await expectWhole(place, 4)
    expect(place.counter()).toEqual(['once'])
    const [told] = ofAda.messages().filter(({ id }) => id === card.id)
    expect(told).toMatchObject({ buttons: [], text: expect.stringContaining('→ exit 0') })
    for (const chat of [ofBob, ofCleo]) expect(noticesIn(chat)).toHaveLength(1)
    expect(noticesIn(ofAda)).toHaveLength(0)
    expect(wordsOf(ofBob).join('\n')).toMatch(/^heard: bob first\s+(?:heard: )?bob second$/u)
    expect(wordsOf(ofCleo)).toEqual(['heard: cleo'])
    expect(wordsOf(ofAda)).toEqual(['finished: run: echo once >> counter'])
    expect(telegram.pendingUpdates()).toEqual([])
  }, 300_000)

  test('STORE-04 INT-32 for longer than the poller holds its lease: who writes then is told too', async () => {
    await using lost = await createLosable()
    const { at, wire } = lost
    const { place, telegram } = at
    await using program = at.start()
    await untilServing(telegram, program)
    const [, ofBob, ofCleo] = chats(telegram)
    ofBob.send(bob, 'before')
    await ofBob.waitForText('heard: before', patience)
    await wire.cut()
    // A lease is 15 s.
    await delay(17_000)
    ofCleo.send(cleo, 'long away')
    await ofCleo.waitForText(away, patience)
    await wire.mend()
    await ofCleo.waitForText('heard: long away', patience)
    await untilAllDone(place, 2, 90_000)
    await expectWhole(place, 2)
    expect(noticesIn(ofCleo)).toHaveLength(1)
  }, 300_000)

  test('STORE-04 INT-32 STORE-01 its own PostgreSQL is killed at the moment of a message: the message is done once', async () => {
    await using at = await createChatPlace({ people })
    const { place, telegram } = at
    await using program = at.start()
    await untilServing(telegram, program)
    const [chat] = chats(telegram)
    const recovery = new Recovery()
    const begunAt = performance.now()
    for (let round = 1; round <= kills; round += 1) {
      const killedAt = performance.now()
      chat.send(ada, `message ${round}`)
      const found = processesOf(place.dataDir).filter(({ part }) => part === 'postgres')
      killNow(found.map(({ pid }) => pid))
      await whileRunning(program, untilAllDone(place, round, 90_000))
      recovery.add(killedAt)
    }
    recovery.print('Telegram: PostgreSQL killed at the moment of a message, until its answer')
    await expectWhole(place, kills)
    const expected = Array.from({ length: kills }, (_, index) => `heard: message ${index + 1}`)
    // One whose record was lost with the server is sent again.
    expect(withoutRepeats(wordsOf(chat))).toEqual(expected)
    // Once a minute at most.
    const minutes = (performance.now() - begunAt) / 60_000
    expect(noticesIn(chat).length).toBeLessThanOrEqual(Math.ceil(minutes))
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0, patience)
  }, 300_000)
})

/** The product's line to its database can be cut; the test's own stays. */
async function createLosable() {
  const resources = new AsyncDisposableStack()
  const { connection } = resources.use(await createTestDatabase())
  const { host, user, database } = connection
  const wire = resources.use(await createWire(`${host}/.s.PGSQL.5432`))
  const url = `postgresql://${user}@127.0.0.1:${wire.port}/${database}`
  const at = resources.use(
    await createChatPlace({
      people,
      connection: { ...connection, url },
      settings: { COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone' },
    }),
  )
  return { at, wire, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

function chats(telegram: TelegramStandIn): readonly [ChatHandle, ChatHandle, ChatHandle] {
  return [telegram.privateChat(ada), telegram.privateChat(bob), telegram.privateChat(cleo)]
}

function noticesIn(chat: ChatHandle): readonly string[] {
  return textsIn(chat).filter((text) => text.startsWith(away))
}

/** What the model said. */
function wordsOf(chat: ChatHandle): readonly string[] {
  return textsIn(chat).filter((text) => /^(?:heard|finished): /u.test(text))
}

function textsIn(chat: ChatHandle): readonly string[] {
  return chat.botMessages().map(({ text }) => text)
}

function withoutRepeats(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => text !== texts[index - 1])
}
