import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../../src/db/database.ts'
import { connectRunning } from '../../../src/db/embedded/connect-running.ts'
import type { Schema } from '../../../src/db/schema.ts'
import type { IncomingCall } from '../../support/telegram/limits/faults.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'
import { untilAsked } from '../support/steps.ts'
import type { Round } from './round.ts'

/** Set when the outer promise settles; `sprung` settles when the product was killed by it. */
export type Trap = (round: Round) => Promise<{ readonly sprung: Promise<void> }>

type Wanted = (call: IncomingCall, telegram: TelegramStandIn) => boolean

const patienceMs = 120_000
const lookEveryMs = 5

/** Kills at the first such request: before anything of it is done, or when it was done and is not answered. */
export function atRequest(wanted: Wanted, when: 'before' | 'after'): Trap {
  return async ({ telegram, kill }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    telegram.fault = (call) => {
      if (!wanted(call, telegram)) return undefined
      telegram.fault = undefined
      kill()
      resolve()
      return { kind: `drop-${when}` }
    }
    return { sprung: inTime(promise, 'the request that the trap waits for') }
  }
}

/** Kills the process while its insert waits for a lock, so that it can never be committed. */
export function atInsert(table: 'inbound_event'): Trap {
  return async ({ place, kill }) => {
    const connection = await connectRunning(place.dataDir)
    if (connection === undefined) throw new Error('the database does not answer')
    const isSet = Promise.withResolvers<void>()
    const spring = async (): Promise<void> => {
      await using opened = openDatabase<Schema>(connection, { max: 1 })
      await opened.db.transaction().execute(async (db) => {
        await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(db)
        isSet.resolve()
        await untilTrue(async () => {
          const waiting = await sql`
            select from pg_locks where relation = ${table}::regclass and not granted`.execute(db)
          return waiting.rows.length > 0
        }, `an insert into ${table}`)
        kill()
      })
    }
    const sprung = spring()
    await Promise.race([isSet.promise, sprung])
    return { sprung }
  }
}

/** Kills when the command of this round has written this, and before there is an answer, however late that is seen. */
export function whenPrinted(what: 'begin' | 'end'): Trap {
  return async ({ place, name, kill }) => {
    const held = place.model.hold()
    const spring = async (): Promise<void> => {
      using _held = held
      await untilTrue(() => place.counter().includes(`${name}-${what}`), `the command's ${what}`)
      kill()
    }
    return { sprung: spring() }
  }
}

/** Kills when the card was sent and that is recorded. */
export const whenShown: Trap = async ({ place, kill }) => ({
  sprung: untilAsked(place).then(kill),
})

/** Kills when everything is done and recorded. */
export const whenRecorded: Trap = async ({ settled, kill }) => ({ sprung: settled().then(kill) })

async function untilTrue(look: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`it never came: ${what}`)
    await delay(lookEveryMs)
  }
}

async function inTime(promise: Promise<void>, what: string): Promise<void> {
  const ending = new AbortController()
  const late = delay(patienceMs, undefined, { signal: ending.signal }).then(() => {
    throw new Error(`it never came: ${what}`)
  })
  try {
    await Promise.race([promise, late])
  } finally {
    ending.abort()
    late.catch(() => undefined)
  }
}
