import { sql } from 'kysely'
import { test } from 'vitest'
import type { Db } from '../../src/db/schema.ts'
import { isNightly } from '../support/run/nightly.ts'
import { Killer } from './apart/killer.ts'
import { lastingMs } from './apart/lasting.ts'
import { createLoad } from './apart/load.ts'
import { inWords } from './apart/reckoning.ts'
import { say } from './support/figures.ts'

/** Enough that orders are under way in every process whenever one is killed. */
const people = isNightly ? 50 : 32
const killingMs = lastingMs(30_000)

test(
  'REL-01 PROC-01 LOOP-04 LOOP-05 CHAT-06 INT-1 INT-3 INT-4 INT-11 INT-12 INT-13 INT-15 INT-16 INT-17 INT-18 INT-20 INT-39 two gateways, two agents and three workers, one killed every second or two, two at once, or all of a role: nothing is lost, nothing is done twice',
  async () => {
    await using load = await createLoad({ people, ending: '; sleep 0.3', lookEveryMs: 200 })
    const killer = new Killer(load.fleet)
    const until = performance.now() + killingMs
    await killer.killUntil(until)
    const figures = await load.end(killer.of('gateway').map(({ at }) => at))
    const quietS = ((performance.now() - until) / 1_000).toFixed(1)
    say(`apart: ${killer.figures()} in ${killingMs / 1_000} s; ${inWords(figures)}`)
    say(`apart: ${await load.apart.place.look(recoveries)}; quiet ${quietS} s after the last kill`)
  },
  killingMs + 600_000,
)

/** What was taken over from the dead, for people. */
async function recoveries(db: Db): Promise<string> {
  const { rows } = await sql<{ turns: number; calls: number; messages: number }>`select
    (select coalesce(sum(crashes), 0)::int from turn) as turns,
    (select count(*)::int from tool_call where sends > 0) as calls,
    (select count(*)::int from outbox where attempts > 0) as messages`.execute(db)
  const { turns = 0, calls = 0, messages = 0 } = rows[0] ?? {}
  return `${turns} turns taken over, ${calls} jobs sent again, ${messages} messages tried again`
}
