import { createRedisBus } from '../../../src/adapters/queue/create-redis-bus.ts'
import { createRedisQueue } from '../../../src/adapters/queue/create-redis-queue.ts'
import { silentLog } from '../../../src/util/log.ts'

/** Sends one job and one event. A process of its own, as Node reads NODE_EXTRA_CA_CERTS only at its start. */
async function main(url: string): Promise<void> {
  const options = { url, prefix: 'test', log: silentLog }
  await using queue = await createRedisQueue(options)
  await using bus = await createRedisBus(options)
  const job = Promise.withResolvers<string>()
  const event = Promise.withResolvers<unknown>()
  await queue.consume('turns', 1, async ({ id }) => job.resolve(id))
  await bus.subscribe('live', event.resolve)
  await queue.add('turns', 'turn-1-1', {})
  await bus.publish('live', 'heard')
  process.stdout.write(`${await job.promise} ${await event.promise}\n`)
}

await main(process.argv[2] ?? '')
