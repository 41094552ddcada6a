import { expect, test } from 'vitest'
import { PerKeyQueue } from '../../src/gateway/per-key-queue.ts'
import { silentLog } from '../../src/util/log.ts'

test('REL-03 whoever asks for deliveries of ever more conversations has no more than so many wait', async () => {
  const gate = Promise.withResolvers<undefined>()
  const begun = new Set<string>()
  const work = (id: string) => {
    begun.add(id)
    return gate.promise
  }
  await using line = new PerKeyQueue(work, silentLog)
  for (let asked = 0; asked < 20_000; asked += 1) line.ask(`${asked}`)
  gate.resolve(undefined)
  await expect.poll(() => begun.size).toBe(10_032)
  line.ask('another')
  await expect.poll(() => begun.has('another')).toBe(true)
})
