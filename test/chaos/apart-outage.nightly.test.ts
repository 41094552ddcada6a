import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ChatHandle } from '../support/telegram/chat-handle.ts'
import { createLoad, type Load } from './apart/load.ts'
import { beginLong, expectFinished } from './apart/long-command.ts'
import { sharesDuring } from './apart/processor-time.ts'
import { inWords } from './apart/reckoning.ts'
import { say } from './support/figures.ts'

const people = 10
const awayMs = 30_000
/** Longer than a replica may be silent, and its command goes on all the while. */
const silentMs = 30_000
/** Until what was under way when it went has met the loss. */
const settleMs = 2_000
const mostOfAProcessor = 0.3
const patience = { timeoutMs: 90_000 }
const bob = { id: 501, is_bot: false, first_name: 'Bob' }
const cleo = { id: 502, is_bot: false, first_name: 'Cleo' }
const dora = { id: 503, is_bot: false, first_name: 'Dora' }
const guests = [bob.id, cleo.id, dora.id]
const settings = { COUNTERSIGN_TOOLS_SHELL_TIMEOUT: '60' }
const load10 = { people, guests, ending: '; sleep 0.2', pauseMs: 200, apart: { settings } }

describe('what processes that run apart meet in goes away under load and comes back', () => {
  test('STORE-04 INT-32 REL-01 PostgreSQL: who writes meanwhile is told, nothing is lost or doubled, and no process ends', async () => {
    await using load = await createLoad(load10)
    const { telegram, wire } = load.apart
    const pids = pidsOf(load)
    const chat = telegram.privateChat(bob)
    const long = await beginLong(load, cleo, awayMs - 3_000)
    const reply = await beginReply(load)
    await wire.cut()
    await delay(settleMs)
    chat.send(bob, 'anybody there?')
    load.extraOrders += 1
    const shares = await sharesDuring(load.fleet, awayMs - settleMs)
    await chat.waitForText('The database is unavailable', patience)
    await wire.mend()
    await chat.waitForText('heard: anybody there?', patience)
    await expectFinished(long)
    await expectCalm('PostgreSQL', load, { pids, shares })
    expect(textsIn(reply), 'shown once, though it could not be recorded at once').toHaveLength(1)
  }, 300_000)

  test('STORE-04 INT-11 INT-12 INT-33 REL-01 Redis, killed and started again empty: jobs that are gone are sent again, what runs runs on, nothing is lost or doubled', async () => {
    await using load = await createLoad({
      ...load10,
      apart: { settings, redis: { isDurable: false } },
    })
    const { redis } = load.apart
    const pids = pidsOf(load)
    const chat = load.apart.telegram.privateChat(bob)
    const long = await beginLong(load, cleo, silentMs + 3_000)
    await redis.kill()
    await delay(settleMs)
    chat.send(bob, 'anybody there?')
    load.extraOrders += 1
    const shares = await sharesDuring(load.fleet, silentMs - settleMs)
    await chat.waitForText(' is unavailable', patience)
    const told = textsIn(chat)
    await redis.restart()
    await chat.waitForText('heard: anybody there?', patience)
    await expectFinished(long)
    await expectCalm('Redis, back empty', load, { pids, shares })
    expect(told, 'told while Redis was away').toEqual([expect.stringMatching(/ is unavailable/u)])
  }, 300_000)

  test('STORE-04 INT-33 REL-01 Redis, which stands still and goes on: nothing is lost or doubled, and no process ends', async () => {
    await using load = await createLoad(load10)
    const { redis } = load.apart
    const pids = pidsOf(load)
    const long = await beginLong(load, cleo, awayMs - 3_000)
    redis.pause()
    await delay(settleMs)
    const shares = await sharesDuring(load.fleet, awayMs - settleMs)
    redis.resume()
    await expectFinished(long)
    await expectCalm('Redis, stopped', load, { pids, shares })
  }, 300_000)
})

interface Watched {
  readonly pids: readonly number[]
  readonly shares: readonly (readonly [role: string, share: number])[]
}

/** A reply that the platform shows, and of which it has not told the gateway yet. */
async function beginReply({ apart }: Load): Promise<ChatHandle> {
  const { telegram } = apart
  const chat = telegram.privateChat(dora)
  telegram.fault = ({ method, params }) =>
    method === 'sendMessage' && String(params['chat_id']) === String(dora.id)
      ? { kind: 'delay', ms: 2_000 }
      : undefined
  chat.send(dora, '/help')
  await chat.waitForText('/stop', patience)
  return chat
}

function textsIn(chat: ChatHandle): readonly string[] {
  return chat.botMessages().map(({ text }) => text)
}

function pidsOf({ fleet }: Load): readonly number[] {
  return fleet.seats.map(({ program }) => program.pid)
}

async function expectCalm(what: string, load: Load, { pids, shares }: Watched): Promise<void> {
  const startedAt = performance.now()
  await delay(3_000)
  const figures = await load.end()
  const restS = ((performance.now() - startedAt) / 1_000).toFixed(1)
  const { place } = load.apart
  expect(place.counter().filter((line) => line.startsWith('long-'))).toEqual([
    'long-begin',
    'long-end',
  ])
  expect(figures).toMatchObject({ interrupted: 0, unbegun: 0, answersTwice: 0, cardsTwice: 0 })
  expect(pidsOf(load)).toEqual(pids)
  expect(
    shares.filter(([, share]) => share > mostOfAProcessor),
    'busy while away',
  ).toEqual([])
  const busiest = Math.max(...shares.map(([, share]) => share))
  say(
    `apart: ${what} away: ${inWords(figures)}; at rest ${restS} s after its return; ${(busiest * 100).toFixed(0)} % of a processor at most while it was away`,
  )
}
