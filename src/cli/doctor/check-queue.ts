import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { parseRedisAddress, showRedisAddress } from '../../adapters/queue/redis-address.ts'
import type { Config } from '../../config/config.ts'
import type { Connection } from '../../db/database.ts'
import { listen } from '../../db/listen.ts'
import type { Db } from '../../db/schema.ts'
import { newId } from '../../util/ids.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const what = 'queue'
const patienceMs = 5000

/** Checks the queue in PostgreSQL, which needs a schema and NOTIFY. Does nothing with Redis. */
export async function checkQueue(
  config: Config,
  db: Db,
  connection: Connection,
): Promise<readonly Finding[]> {
  if (config.redisUrl !== undefined) return []
  return [await checkSchema(db), await checkNotify(db, connection)]
}

/** Checks that Redis is reachable, accepts our login and keeps its data, if configured. */
export async function checkRedis({ redisUrl }: Config): Promise<readonly Finding[]> {
  if (redisUrl === undefined) return []
  const url = redisUrl.reveal()
  const { probeRedis } = await import('../../adapters/queue/probe-redis.ts')
  const address = parseRedisAddress(url)
  const where = `Redis at ${showRedisAddress(address)}`
  try {
    const { warnings } = await probeRedis(address, patienceMs, AbortSignal.timeout(patienceMs))
    const mend = 'change the settings of that Redis'
    return [ok(what, where), ...warnings.map((warning) => warn(what, warning, mend))]
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return [fail(what, `${where}: ${words}`, 'start that Redis, or correct REDIS_URL')]
  }
}

async function checkSchema(db: Db): Promise<Finding> {
  const { rows } = await sql<{ there: boolean; may: boolean }>`
    select to_regnamespace('bullmq') is not null as there,
      has_database_privilege(current_database(), 'create') as may`.execute(db)
  if (rows[0]?.there === true) return ok(what, 'in PostgreSQL, schema bullmq')
  if (rows[0]?.may === true) return ok(what, 'in PostgreSQL; its schema is made at the first start')
  const finding = 'the role may not make the schema bullmq'
  return fail(what, finding, 'grant create on the database to it')
}

/** Tries a notification, which a pooler in transaction mode would lose. */
async function checkNotify(db: Db, connection: Connection): Promise<Finding> {
  const channel = `doctor_${newId().replaceAll('-', '')}`
  const heard = Promise.withResolvers<boolean>()
  const stop = new AbortController()
  const giveUp = delay(patienceMs, false, { signal: stop.signal }).catch(() => false)
  const listening = listen(connection, channel, () => heard.resolve(true), { signal: stop.signal })
  try {
    await Promise.race([listening, giveUp])
    await sql`select pg_notify(${channel}, '')`.execute(db)
    if (await Promise.race([heard.promise, giveUp])) return ok(what, 'notifications arrive')
    const finding = `no notification arrived within ${patienceMs / 1000} s`
    return fail(what, finding, 'connect to PostgreSQL itself, not through a transaction pooler')
  } finally {
    stop.abort()
    await listening.then((listener) => listener[Symbol.asyncDispose]()).catch(() => undefined)
  }
}
