import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ToolCallRow } from '../../src/db/schema.ts'
import { type Apart, createApart, untilReady } from '../support/apart/create-apart.ts'
import { Fleet, type Seat } from '../support/apart/fleet.ts'
import type { ChatHandle } from '../support/telegram/chat-handle.ts'
import { idsOf } from './apart/crowd.ts'
import { say } from './support/figures.ts'
import { expectWhole } from './support/invariants.ts'
import { untilAllDone } from './telegram/until-all-done.ts'

const conversations = 6
const callsEach = 3
const crew = { gateway: 1, agent: 2, worker: 3 }
const patience = { timeoutMs: 90_000 }
/** An agent waits 5 s for the word of a replica before it gives the call to another; a busy machine holds up what follows. */
const movedWithinMs = 40_000

describe('three replicas of a worker', () => {
  test('BOX-02 DECISION-3 PROC-01 REL-01 INT-11 INT-12 a conversation keeps its box while its replica lives, and goes to another one when that is killed or says farewell', async () => {
    await using apart = await createApart({ people: idsOf(conversations) })
    const fleet = new Fleet(apart, crew)
    await fleet.ready()
    const talks = idsOf(conversations).map((id) => new Talk(apart, id))
    for (let count = 1; count <= callsEach; count += 1) {
      await Promise.all(talks.map((talk) => talk.call()))
    }
    for (const talk of talks) {
      const calls = await talk.calls()
      expect(new Set(calls.map(({ replica }) => replica)).size, 'replicas of a conversation').toBe(
        1,
      )
      expect(calls.map(linesSeen)).toEqual([1, 2, 3])
    }
    const [first, second] = await twoOnDifferentReplicas(talks)
    const killedMs = await movesWhen(first, (seat) => fleet.end(seat), fleet)
    expect(killedMs).toBeLessThan(movedWithinMs)
    const leftMs = await movesWhen(second, (seat) => fleet.end(seat, 'SIGTERM'), fleet)
    expect(leftMs).toBeLessThan(movedWithinMs)
    const all = conversations * callsEach + 4
    await untilAllDone(apart.place, all)
    await expectWhole(apart.place, all)
    say(
      `apart, sticky boxes: the next call after its replica was killed took ${inSeconds(killedMs)}, after its farewell ${inSeconds(leftMs)}`,
    )
  }, 180_000)
})

/** A person who orders one command after the other, each of which leaves a line in a file that only the box has. */
class Talk {
  readonly #apart: Apart
  readonly #id: number
  readonly #chat: ChatHandle
  #count = 0

  constructor(apart: Apart, id: number) {
    this.#apart = apart
    this.#id = id
    const user = apart.telegram.addUser({ id, first_name: `Person${id}` })
    this.#chat = apart.telegram.privateChat(user)
  }

  /** Answers how long it took from the tap to the answer. */
  async call(): Promise<number> {
    this.#count += 1
    const order = `run: echo ${this.#count} >> /tmp/mark-${this.#id}; wc -l < /tmp/mark-${this.#id}`
    const user = { id: this.#id, is_bot: false, first_name: `Person${this.#id}` }
    const { message_id: since } = this.#chat.send(user, order)
    const card = await this.#chat.waitForMessage(
      ({ id, buttons }) => id > since && buttons.length > 0,
      patience,
    )
    const tappedAt = performance.now()
    this.#chat.tap(user, card.id, 'Approve')
    await this.#chat.waitForMessage(
      ({ id, text }) => id > since && text === `finished: ${order}`,
      patience,
    )
    return performance.now() - tappedAt
  }

  /** Its calls so far, in order. */
  calls(): Promise<readonly ToolCallRow[]> {
    return this.#apart.place.look((db) =>
      db
        .selectFrom('tool_call')
        .innerJoin('session', 'session.id', 'tool_call.session_id')
        .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
        .selectAll('tool_call')
        .where('conversation.external_id', '=', String(this.#id))
        .orderBy('tool_call.id')
        .execute(),
    )
  }

  async replica(): Promise<string> {
    return (await this.calls()).at(-1)?.replica ?? ''
  }

  /** The process of the replica that has its box. */
  async seat(fleet: Fleet): Promise<Seat> {
    const { dataDir } = this.#apart.place
    const file = join(dataDir, 'journal', 'default', 'replicas', await this.replica())
    const { pid } = JSON.parse(readFileSync(file, 'utf8'))
    const seat = fleet.of('worker').find(({ program }) => program.pid === pid)
    if (seat === undefined) throw new Error(`no worker is process ${pid}`)
    return seat
  }

  get apart(): Apart {
    return this.#apart
  }
}

/** Ends the replica of a conversation, and another one takes its next two calls, in a fresh box. Answers how long the first took. */
async function movesWhen(
  talk: Talk,
  end: (seat: Seat) => Promise<unknown>,
  fleet: Fleet,
): Promise<number> {
  const before = await talk.replica()
  const seat = await talk.seat(fleet)
  await end(seat)
  const tookMs = await talk.call()
  await talk.call()
  const [last, next] = (await talk.calls()).toReversed()
  expect(next?.replica).not.toBe(before)
  expect(last?.replica).toBe(next?.replica)
  expect([next, last].map((call) => call && linesSeen(call))).toEqual([1, 2])
  await untilReady(talk.apart, 'worker', fleet.fill(seat))
  return tookMs
}

async function twoOnDifferentReplicas(talks: readonly Talk[]): Promise<readonly [Talk, Talk]> {
  const at = await Promise.all(talks.map(async (talk) => ({ talk, replica: await talk.replica() })))
  const [first] = at
  const other = at.find(({ replica }) => replica !== first?.replica)
  if (first === undefined || other === undefined) throw new Error('all are at one replica')
  return [first.talk, other.talk]
}

function linesSeen({ result }: ToolCallRow): number {
  return Number(/^\s*(\d+)\s*$/mu.exec(result ?? '')?.[1])
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
