import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/schema.ts'
import { createTestDatabase } from '../support/database/database.ts'
import type { PersonsDeed, RealProduct } from '../support/real-product.ts'
import { say as tellFigure } from './support/figures.ts'
import { expectWhole, shownAnswers } from './support/invariants.ts'
import { createPlace, deed, type Place } from './support/place.ts'
import { approval } from './support/steps.ts'

const conversations = 20
const killingMs = 30_000
const pauseMs = 2_000
/** Until all are answered, and until all is sent: a lease of 15 s is waited for, and the machine may be busy. */
const patienceMs = 110_000
const standingConversations = 8
/** A lease is 15 s, and so long may a replica be silent. */
const stillMs = 18_000

describe('two agents with a worker each over one database', () => {
  test('REL-01 LOOP-04 LOOP-05 INT-1 INT-3 INT-11 INT-15 INT-39 one of the two is killed every 2 s: nothing is lost and nothing is done twice', async () => {
    await using database = await createTestDatabase()
    const { connection, url } = database
    await using place = await createPlace({
      connection: { ...connection, url },
      settings: { COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone' },
    })
    const pair = new Pair(place)
    await pair.ready()
    const people = new People(pair, database.db, conversations)
    const until = performance.now() + killingMs
    const [killed] = await Promise.all([killUntil(pair, until), people.talk(until)])
    await untilQuiet(place, patienceMs)
    const lastedS = ((performance.now() - until) / 1000).toFixed(1)
    await expectWhole(place, people.said)
    const figures = await expectNothingTwice(place, pair)
    const all = `${killed} kills, ${people.said} messages, ${figures}`
    tellFigure(`two agents: ${all}, quiet ${lastedS} s after the last kill`)
  }, 300_000)

  test('LOOP-05 INT-1 INT-14 one of the two stands still for longer than a lease, and goes on: nothing is done twice', async () => {
    await using database = await createTestDatabase()
    const { connection, url } = database
    await using place = await createPlace({
      connection: { ...connection, url },
      settings: { COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone' },
    })
    const pair = new Pair(place)
    await pair.ready()
    const people = new People(pair, database.db, standingConversations)
    const until = performance.now() + stillMs + 4_000
    const [, pauses] = await Promise.all([people.talk(until), pair.pauseOne()])
    await untilQuiet(place, patienceMs)
    await expectWhole(place, people.said)
    const figures = await expectNothingTwice(place, pair)
    tellFigure(`two agents, one still for ${pauses / 1000} s: ${people.said} messages, ${figures}`)
  }, 300_000)
})

async function killUntil(pair: Pair, until: number): Promise<number> {
  while (performance.now() < until) {
    await delay(pauseMs)
    await pair.killOne()
  }
  return pair.kills
}

/** Everybody in every conversation: writes, taps on the card, waits for the end of the turn, and again. */
class People {
  readonly #pair: Pair
  readonly #db: Db
  readonly #names: readonly string[]
  readonly #saidBy = new Map<string, number>()
  readonly #tapped = new Set<string>()
  readonly #sending = new Set<Promise<void>>()

  constructor(pair: Pair, db: Db, conversations: number) {
    this.#pair = pair
    this.#db = db
    this.#names = Array.from({ length: conversations }, (_, index) => `c${index}`)
  }

  /** Messages written so far. */
  get said(): number {
    return [...this.#saidBy.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Until then everybody goes on; afterwards they only tap what still asks, until all have their answers. */
  async talk(until: number): Promise<void> {
    const names = this.#names
    const deadline = until + patienceMs
    for (;;) {
      const isOver = performance.now() > until
      const ended = await this.#endedTurns()
      const waiting = names.filter((name) => (ended.get(name) ?? 0) < (this.#saidBy.get(name) ?? 0))
      if (isOver && waiting.length === 0) break
      if (performance.now() > deadline) throw new Error(`no answer in ${waiting.join(', ')}`)
      if (!isOver) for (const name of names) if (!waiting.includes(name)) this.#write(name)
      await this.#tapAll()
      await delay(100)
    }
    await Promise.all(this.#sending)
  }

  #write(name: string): void {
    const count = this.#saidBy.get(name) ?? 0
    this.#saidBy.set(name, count + 1)
    const text = `run: echo ${name}-${count} >> counter; sleep 0.3`
    this.#send(deed({ kind: 'message', text }, name))
  }

  async #tapAll(): Promise<void> {
    const rows = await this.#db
      .selectFrom('approval')
      .innerJoin('conversation', 'conversation.id', 'approval.conversation_id')
      .select(['approval.id', 'conversation.external_id as name'])
      .where('approval.state', '=', 'pending')
      // Nobody answers a card that is not there yet.
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('approval_card')
            .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
            .select('outbox.id')
            .whereRef('approval_card.approval_id', '=', 'approval.id')
            .where('outbox.state', '=', 'sent'),
        ),
      )
      .execute()
    for (const { id, name } of rows.filter(({ id: approvalId }) => !this.#tapped.has(approvalId))) {
      this.#tapped.add(id)
      this.#send({ ...approval(id), conversation: name })
    }
  }

  #send(what: PersonsDeed): void {
    const sending = this.#pair.send(what).finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  async #endedTurns(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db
      .selectFrom('turn')
      .innerJoin('session', 'session.id', 'turn.session_id')
      .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
      .select([
        'conversation.external_id as name',
        (eb) => eb.fn.count<number>('turn.id').as('count'),
      ])
      .where('turn.ended_at', 'is not', null)
      .groupBy('conversation.external_id')
      .execute()
    return new Map(rows.map(({ name, count }) => [name, count]))
  }
}

async function untilQuiet(place: Place, patienceMs: number): Promise<void> {
  await place.until(
    'every turn has ended and everything was sent',
    async (db) => {
      const live = await db.selectFrom('turn').select('id').where('ended_at', 'is', null).execute()
      const unsent = await db
        .selectFrom('outbox')
        .select('id')
        .where('state', '=', 'pending')
        .execute()
      return live.length + unsent.length === 0 ? true : undefined
    },
    patienceMs,
  )
}

/** Holds what commands wrote against what their calls say. */
async function expectNothingTwice(place: Place, pair: Pair): Promise<string> {
  const calls = await place.look((db) => db.selectFrom('tool_call').selectAll().execute())
  const lines = place.counter()
  const ranTwice = lines.filter((line, index) => lines.indexOf(line) !== index)
  expect(ranTwice, 'commands that ran twice').toEqual([])
  const unwritten = calls.filter(
    (call) => !lines.some((line) => call.arguments.includes(`${line} `)),
  )
  expect(
    unwritten.filter((call) => call.state !== 'interrupted' && !isUnstarted(call)),
    place.complaints(),
  ).toEqual([])
  expect(
    calls.filter(
      (call) => !['succeeded', 'interrupted'].includes(call.state) && !isUnstarted(call),
    ),
    place.complaints(),
  ).toEqual([])
  // What is told as never started must not have written anything.
  const unstarted = calls.filter(isUnstarted)
  expect(unstarted.filter((call) => !unwritten.includes(call))).toEqual([])
  const shown = shownAnswers(pair.products)
  expect(shown.size).toBe(calls.length)
  const twice = [...shown.values()].filter((count) => count > 1).length
  const interrupted = calls.filter(({ state }) => state === 'interrupted').length
  return `${interrupted} commands interrupted, ${unstarted.length} without a box, 0 ran twice, ${twice} answers shown twice, 0 lost`
}

/** A box that could not be started while both products were being killed: said so, and nothing ran. */
function isUnstarted(call: { readonly state: string; readonly error_category: string | null }) {
  return call.state === 'failed' && call.error_category === 'server_error'
}

/** Two products over one place, each started again when it was killed. */
class Pair {
  readonly place: Place
  readonly products: RealProduct[]
  readonly #living: [RealProduct, RealProduct]
  #standing: RealProduct | undefined
  kills = 0

  constructor(place: Place) {
    this.place = place
    this.#living = [place.start(), place.start()]
    this.products = [...this.#living]
  }

  async ready(): Promise<void> {
    await Promise.all(this.#living.map((product) => product.ready))
  }

  /** Kills one of the two and starts it again; the other one lives and was ready. */
  async killOne(): Promise<void> {
    const victim = this.kills % 2 === 0 ? 0 : 1
    await this.#living[1 - victim]?.ready
    this.kills += 1
    const killed = this.#living[victim]
    killed?.signal('SIGKILL')
    await killed?.ended
    const next = this.place.start()
    this.#living[victim] = next
    this.products.push(next)
  }

  /** Stops one of the two in the middle of its work, and lets it go on. Answers for how long it stood. */
  async pauseOne(): Promise<number> {
    await delay(1_500)
    const paused = this.#living[0]
    paused.signal('SIGSTOP')
    this.#standing = paused
    await delay(stillMs)
    paused.signal('SIGCONT')
    this.#standing = undefined
    return stillMs
  }

  /** To either of them that moves, again until one confirms it. */
  async send(what: PersonsDeed): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const product = this.#living[tries % 2]
      if (product !== this.#standing && (await product?.act(what))) return
      await delay(50)
    }
  }
}
