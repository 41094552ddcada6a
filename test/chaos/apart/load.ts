import { expect } from 'vitest'
import type { Db } from '../../../src/db/schema.ts'
import { type Apart, type ApartOptions, createApart } from '../../support/apart/create-apart.ts'
import { type Crew, Fleet } from '../../support/apart/fleet.ts'
import { expectWhole } from '../support/invariants.ts'
import { untilAllDone } from '../telegram/until-all-done.ts'
import { Crowd, type CrowdOptions, idsOf } from './crowd.ts'
import { type Reckoning, reckon } from './reckoning.ts'

const restMs = 120_000
const warmMs = 240_000

export interface LoadOptions extends CrowdOptions {
  readonly crew?: Crew
  /** Further people who may talk. */
  readonly guests?: readonly number[]
  readonly apart?: Omit<ApartOptions, 'people'>
}

/** Processes apart, and people who keep them busy. */
export interface Load extends AsyncDisposable {
  readonly apart: Apart
  readonly fleet: Fleet
  readonly crowd: Crowd
  /** Orders that a test gives besides. */
  extraOrders: number
  /** Lets everybody come to an end, and holds what is then there against what must be. */
  end(deaths?: readonly number[]): Promise<Reckoning>
}

/** Starts it all; settles when everybody has had their first answer. */
export async function createLoad(options: LoadOptions): Promise<Load> {
  const { people, guests = [] } = options
  const apart = await createApart({ ...options.apart, people: [...idsOf(people), ...guests] })
  const fleet = new Fleet(apart, options.crew)
  await fleet.ready()
  const crowd = new Crowd(apart.telegram, options)
  const ending = new AbortController()
  const talking = crowd.talk(ending.signal)
  talking.catch(() => undefined)
  const isWarm = () => crowd.answered >= people
  await Promise.race([talking, apart.telegram.waitFor(isWarm, { timeoutMs: warmMs, what: 'warm' })])
  const load: Load = {
    apart,
    fleet,
    crowd,
    extraOrders: 0,
    end: async (deaths = []) => {
      ending.abort()
      await talking.catch(async (error: unknown) => {
        throw new Error(await apart.place.look(describeOpen), { cause: error })
      })
      await untilAtRest(load)
      const figures = await reckon(apart.place, crowd, deaths)
      await expectWhole(apart.place, crowd.orders.length + load.extraOrders)
      expect(fleet.falls, 'processes that ended by themselves').toEqual([])
      return figures
    },
    [Symbol.asyncDispose]: () => apart[Symbol.asyncDispose](),
  }
  return load
}

/** What is not at an end, for whoever looks for the reason. */
async function describeOpen(db: Db): Promise<string> {
  const turns = await db.selectFrom('turn').selectAll().where('ended_at', 'is', null).execute()
  const calls = await db
    .selectFrom('tool_call')
    .selectAll()
    .where('settled_at', 'is', null)
    .execute()
  const unsent = await db.selectFrom('outbox').selectAll().where('state', '!=', 'sent').execute()
  const inbound = await db
    .selectFrom('inbound_event')
    .selectAll()
    .where('handled_at', 'is', null)
    .execute()
  return `open: ${JSON.stringify({ turns, calls, unsent, inbound }, undefined, 1)}`
}

/** Waits until nothing moves any more; orphaned copies of cards are tapped, and told what became of them. */
async function untilAtRest({ apart, crowd, extraOrders }: Load): Promise<void> {
  const { place, telegram } = apart
  const all = crowd.orders.length + extraOrders
  await untilAllDone(place, all, restMs)
  await crowd.tapWhatStillAsks()
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0, { timeoutMs: restMs })
  await untilAllDone(place, all, restMs)
}
