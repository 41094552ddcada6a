import { startRedis, type TestRedis } from '../../test/support/database/redis.ts'
import { countStatements } from '../support/count-statements.ts'
import { type Figure, toFigure } from '../support/figure.ts'
import type { Measurement } from '../support/measurement.ts'
import { type Bench, openBench } from '../support/open-bench.ts'
import { repeat } from '../support/repeat.ts'
import { measureTurns } from './turn.ts'

const turns = 40

/** PERF-02: the same as `turn`, with the queue on Redis; and what a turn asks of both servers. */
export const redis: Measurement = {
  name: 'redis',
  about: 'as turn, with the queue on a Redis of its own; the database is the embedded one',
  measure: async (effort) => {
    await using server = await startRedis()
    await using bench = await openBench({ REDIS_URL: server.url })
    return [
      ...(await measureTurns(bench, effort, 25)),
      ...(await operations('a plain turn', bench, server, 'hello')),
      ...(await operations('a turn with one tool call', bench, server, 'run true')),
    ]
  },
}

/** Periodic work included: at this pace it is little. */
async function operations(
  what: string,
  bench: Bench,
  server: TestRedis,
  text: string,
): Promise<readonly Figure[]> {
  using counter = countStatements()
  await bench.ask('counted', text)
  counter.take()
  const before = await commandsOf(server)
  await repeat(turns, () => bench.ask('counted', text))
  const commands = (await commandsOf(server)) - before
  return [
    toFigure(`${what}: statements to Postgres`, '', [counter.take().product / turns]),
    toFigure(`${what}: commands to Redis, those of scripts included`, '', [commands / turns]),
  ]
}

async function commandsOf(server: TestRedis): Promise<number> {
  const stats = await server.connect().info('commandstats')
  const calls = [...stats.matchAll(/calls=(\d+)/g)].map(([, count]) => Number(count))
  return calls.reduce((sum, count) => sum + count, 0)
}
