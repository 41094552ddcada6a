import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../support/database/database.ts'
import { RealProgram } from '../support/real-product.ts'
import type { ChannelHandle } from '../support/slack/people/channel-handle.ts'
import { createSlack, type SlackStandIn } from '../support/slack/slack.ts'
import type { SlackUser } from '../support/slack/users.ts'
import { say } from './support/figures.ts'
import { expectWhole } from './support/invariants.ts'
import { createPlace } from './support/place.ts'
import { untilAllDone } from './telegram/until-all-done.ts'
import { createWire } from './telegram/wire.ts'

const patience = { timeoutMs: 90_000 }
/** Slack's own 3 s are half a second more than the product waits for its database. */
const ackTimeoutMs = 15_000
const away = 'The database is unavailable'
const people = 3
const ordersEach = 3

describe('Slack, over a database of its own', () => {
  test('SLACK-01 INT-18 INT-21 REL-01 two products hold a connection each: one is killed in between, and every order is done once and answered', async () => {
    await using at = await createSlackPlace(people)
    const { slack, place, talks } = at
    const first = at.start()
    const second = at.start()
    await slack.waitFor(() => slack.sockets.open === 2, { ...patience, what: 'both are connected' })
    const killed = (async () => {
      await delay(1_500)
      const killedAt = Date.now()
      first.child.kill('SIGKILL')
      await first.ended
      return killedAt
    })()
    await Promise.all(talks.map((talk) => orderAll(talk)))
    const killedAt = await killed
    await untilAllDone(place, people * ordersEach, 90_000)
    await tapWhatAsks(talks)
    await untilAllDone(place, people * ordersEach, 90_000)
    await expectWhole(place, people * ordersEach)
    let doubled = 0
    for (const { dm, user } of talks) {
      for (const order of ordersOf(user)) {
        const copies = dm.botMessages().filter(({ text }) => text.endsWith(`ed: ${order}`))
        expect(copies.length, order).toBeGreaterThan(0)
        for (const { at: sentAt } of copies.slice(0, -1))
          expect(Math.abs(killedAt - sentAt), `sent twice: ${order}`).toBeLessThan(20_000)
        doubled += copies.length - 1
      }
      expect(dm.botMessages().filter(asks)).toEqual([])
    }
    const lines = place.counter()
    expect(new Set(lines).size, 'no command ran twice').toBe(lines.length)
    expect(second.stderr).not.toContain('Error')
    say(`Slack, two products, one killed: ${people * ordersEach} orders, ${doubled} answers twice`)
  }, 240_000)

  test('STORE-04 INT-32 SLACK-01 the whole database is away: people are told, Slack brings it again, and all is done once', async () => {
    await using at = await createSlackPlace(2)
    const { slack, place, wire, talks } = at
    at.start()
    await slack.waitFor(() => slack.sockets.open === 1, { ...patience, what: 'it is connected' })
    const [one, other] = talks
    if (one === undefined || other === undefined) throw new Error('two are there')
    one.dm.say(one.user, 'run: echo once >> counter')
    const card = await cardIn(one.dm, 'echo once')
    other.dm.say(other.user, 'hello')
    await other.dm.waitForText('heard: hello', patience)
    await untilSent(place)

    await wire.cut()
    expect(await one.dm.click(one.user, card.ts, 'Approve').outcome).toMatchObject({
      kind: 'acked',
    })
    await one.dm.waitForEphemeral(one.user, away, patience)
    other.dm.say(other.user, 'while it is away')
    await other.dm.waitForEphemeral(other.user, away, patience)
    await delay(4_000)
    await wire.mend()

    await other.dm.waitForText('heard: while it is away', patience)
    expect(one.dm.message(card.ts).text).toMatch(/Waiting for an answer\.$/)
    await one.dm.click(one.user, card.ts, 'Approve').outcome
    await one.dm.waitForText('finished: run: echo once >> counter', patience)
    await untilAllDone(place, 3, 90_000)
    await expectWhole(place, 3)
    expect(place.counter()).toEqual(['once'])
    const said = other.dm.botMessages().map(({ text }) => text)
    expect(said).toEqual(['heard: hello', 'heard: while it is away'])
    expect(other.dm.ephemerals(other.user)).toHaveLength(1)
  }, 240_000)
})

interface Talk {
  readonly user: SlackUser
  readonly dm: ChannelHandle
}

/** A place for products that run over one database, which can be cut off, with Slack's stand-in beside. */
async function createSlackPlace(count: number) {
  const resources = new AsyncDisposableStack()
  const slack = resources.use(
    await createSlack({ ackTimeoutMs, retryDelaysMs: Array(60).fill(1_000) }),
  )
  const { connection } = resources.use(await createTestDatabase())
  const { host, user, database } = connection
  const wire = resources.use(await createWire(`${host}/.s.PGSQL.5432`))
  const ids = Array.from({ length: count }, (_, index) => `U0PERSON${index}0`)
  const place = resources.use(
    await createPlace({
      connection: {
        ...connection,
        url: `postgresql://${user}@127.0.0.1:${wire.port}/${database}`,
      },
      settings: {
        SLACK_BOT_TOKEN: slack.botToken,
        SLACK_APP_TOKEN: slack.appToken,
        SLACK_API_URL: slack.apiUrl,
        COUNTERSIGN_SLACK_ALLOWED_USERS: ids.join(','),
        COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone',
      },
    }),
  )
  return {
    ...{ slack, place, wire },
    talks: ids.map((id) => talkOf(slack, id)),
    start: () => {
      const { environment, dataDir: cwd } = place
      return resources.use(new RealProgram(['start'], { cwd, environment }))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function talkOf(slack: SlackStandIn, id: string): Talk {
  const user = slack.user(`person-${id.toLowerCase()}`, { id })
  return { user, dm: slack.dm(user) }
}

function ordersOf({ id }: SlackUser): readonly string[] {
  return Array.from(
    { length: ordersEach },
    (_, index) => `run: echo ${id}-${index} >> counter; sleep 0.3`,
  )
}

/** Orders a command, taps its card, waits for the answer, and orders the next one. */
async function orderAll({ user, dm }: Talk): Promise<void> {
  for (const order of ordersOf(user)) {
    dm.say(user, order)
    const card = await cardIn(dm, order.slice('run: '.length))
    await approve(dm, user, card.ts)
    await dm.waitForMessage(
      ({ from, text }) => from.kind === 'app' && text.endsWith(`ed: ${order}`),
      { ...patience, what: `the answer to ${order}` },
    )
  }
}

/** A click on a connection that broke is made again, as people do. */
async function approve(dm: ChannelHandle, user: SlackUser, ts: string): Promise<void> {
  while (asks(dm.message(ts))) {
    const { kind } = await dm.click(user, ts, 'Approve').outcome
    if (kind === 'acked') return
    await delay(300)
  }
}

/** A copy of a card that nobody knows of asks on until it is tapped. */
async function tapWhatAsks(talks: readonly Talk[]): Promise<void> {
  for (const { user, dm } of talks) {
    const asking = dm.botMessages().filter(asks)
    for (const { ts } of asking) await approve(dm, user, ts)
  }
}

function cardIn(dm: ChannelHandle, words: string) {
  return dm.waitForMessage((message) => message.text.includes(words) && asks(message), {
    ...patience,
    what: `the card of ${words}`,
  })
}

/** Answers have buttons of their own, by which people say what they think of them. */
function asks({ buttons }: ReturnType<ChannelHandle['message']>): boolean {
  return buttons.some(({ label }) => label === 'Approve')
}

/** Waits until nothing is to be sent any more. */
async function untilSent(place: Awaited<ReturnType<typeof createPlace>>): Promise<void> {
  await place.until('everything is sent', async (db) => {
    const unsent = await db
      .selectFrom('outbox')
      .select('id')
      .where('state', '=', 'pending')
      .execute()
    return unsent.length === 0 ? true : undefined
  })
}
