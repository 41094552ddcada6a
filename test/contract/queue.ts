import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Queue, QueueJob } from '../../src/ports/queue.ts'
import type { Log } from '../../src/util/log.ts'
import { silentLog } from '../../src/util/log.ts'
import { anyCharacter } from '../support/run/any-character.ts'

/** A place that holds queues; each `open` is what another process would have. */
export interface QueuePlace extends AsyncDisposable {
  open(options: { readonly log: Log; readonly graceMs: number }): Promise<Queue>
}

const patience = { timeout: 20_000, interval: 10 }

/** What every implementation of the queue port keeps. */
export function queueContract(name: string, createPlace: () => Promise<QueuePlace>): void {
  describe(`queue on ${name}`, () => {
    let place: QueuePlace
    let queue: Queue
    const open: Queue[] = []

    async function another(options: { log?: Log; graceMs?: number } = {}): Promise<Queue> {
      const { log = silentLog, graceMs = 10_000 } = options
      const made = await place.open({ log, graceMs })
      open.push(made)
      return made
    }

    beforeEach(async () => {
      place = await createPlace()
      queue = await another()
    })
    afterEach(async () => {
      await Promise.all(open.splice(0).map((one) => one[Symbol.asyncDispose]()))
      await place[Symbol.asyncDispose]()
    })

    test('STORE-02 a job reaches its consumer with its id and data, and no other queue', async () => {
      const seen = await collect(queue, 'tools-main.a-1')
      const other = await collect(queue, 'tools-main')
      await queue.add('tools-main.a-1', 'call-1-1', { header: 'h', list: [1, null, true] })
      await vi.waitFor(() => expect(seen).toHaveLength(1), patience)
      expect(seen).toEqual([{ id: 'call-1-1', data: { header: 'h', list: [1, null, true] } }])
      expect(other).toEqual([])
    })

    test('STORE-02 a job that came first waits for its consumer, in another process too', async () => {
      await queue.add('turns', 'turn-1-1', 1)
      await queue.add('turns', 'turn-2-1', 2)
      const seen = await collect(await another(), 'turns')
      await vi.waitFor(() => expect(seen.map((job) => job.data)).toEqual([1, 2]), patience)
    })

    test('REL-01 an id that still waits is swallowed, and its first data stays', async () => {
      const other = await another()
      await queue.add('turns', 'turn-1-1', 'first')
      await Promise.all([queue, other].map((one) => one.add('turns', 'turn-1-1', 'swallowed')))
      await queue.add('turns', 'turn-2-1', 'last')
      const seen = await collect(other, 'turns')
      await vi.waitFor(() => expect(seen.map((job) => job.data)).toContain('last'), patience)
      expect(seen.map((job) => job.data)).toEqual(['first', 'last'])
    })

    test('REL-01 an id that is still kept is swallowed, and is free again when its job is done', async () => {
      const gate = Promise.withResolvers<void>()
      const seen: unknown[] = []
      await queue.consume('turns', 5, async (job) => {
        seen.push(job.data)
        await gate.promise
      })
      await queue.add('turns', 'turn-1-1', 'first')
      await vi.waitFor(() => expect(seen).toEqual(['first']), patience)
      await queue.add('turns', 'turn-1-1', 'swallowed')
      await queue.add('turns', 'turn-1-2', 'next')
      await vi.waitFor(() => expect(seen).toEqual(['first', 'next']), patience)
      gate.resolve()
      await vi.waitFor(async () => {
        await queue.add('turns', 'turn-1-1', 'again')
        expect(seen).toContain('again')
      }, patience)
      expect(seen).not.toContain('swallowed')
    })

    test('REL-01 a job whose handler throws is logged, never tried again, and harms no other', async () => {
      const error = vi.fn()
      const runs: string[] = []
      const logged = await another({ log: { ...silentLog, error } })
      await logged.consume('results', 1, async (job) => {
        runs.push(job.id)
        if (job.id === 'result-1') throw new Error('broken \0 \ud800 words')
      })
      await queue.add('results', 'result-1', {})
      await queue.add('results', 'result-2', {})
      await vi.waitFor(() => expect(runs).toContain('result-2'), patience)
      await queue.add('results', 'result-3', {})
      await vi.waitFor(() => expect(runs).toContain('result-3'), patience)
      expect(runs).toEqual(['result-1', 'result-2', 'result-3'])
      expect(error).toHaveBeenCalledOnce()
      expect(error.mock.calls[0]?.[0]).toMatchObject({ queue: 'results', id: 'result-1' })
    })

    test('STORE-02 a job of megabytes arrives whole', async () => {
      const seen = await collect(queue, 'results')
      const text = 'zäh\n"'.repeat(500_000)
      await queue.add('results', 'result-1', { text })
      await vi.waitFor(() => expect(seen).toHaveLength(1), patience)
      // Not compared by `toEqual`, which would print megabytes where it fails.
      expect(JSON.stringify(seen[0]?.data) === JSON.stringify({ text })).toBe(true)
    })

    test('STORE-02 data that is nothing arrives as nothing', async () => {
      const seen = await collect(queue, 'turns')
      const nothings = [undefined, null, '', 0, false, [], {}]
      for (const [i, data] of nothings.entries()) await queue.add('turns', `turn-${i}-1`, data)
      await vi.waitFor(() => expect(seen).toHaveLength(nothings.length), patience)
      expect(seen.map((job) => job.data)).toEqual(nothings)
    })

    test('PROC-05 the depth of a queue counts what waits and what runs, in every process', async () => {
      const other = await another()
      const gate = Promise.withResolvers<void>()
      expect(await queue.depth('turns')).toBe(0)
      await queue.check()
      for (const id of ['turn-1-1', 'turn-2-1', 'turn-3-1']) await queue.add('turns', id, {})
      await queue.add('results', 'result-1', {})
      expect(await other.depth('turns')).toBe(3)
      const started = Promise.withResolvers<void>()
      await queue.consume('turns', 1, async () => {
        started.resolve()
        await gate.promise
      })
      await started.promise
      expect(await other.depth('turns')).toBe(3)
      gate.resolve()
      await vi.waitFor(async () => expect(await other.depth('turns')).toBe(0), patience)
      expect(await queue.depth('results')).toBe(1)
    })

    test('STORE-02 as many jobs run at once as the consumer allows, and not more', async () => {
      let running = 0
      let most = 0
      let done = 0
      // On a slow server the first would otherwise be done before the third is taken.
      const three = Promise.withResolvers<void>()
      await queue.consume('turns', 3, async () => {
        most = Math.max(most, ++running)
        if (running === 3) three.resolve()
        await three.promise
        await sleep(30)
        running--
        done++
      })
      await Promise.all(Array.from({ length: 12 }, (_, i) => queue.add('turns', `turn-${i}-1`, i)))
      await vi.waitFor(() => expect(done).toBe(12), patience)
      expect(most).toBe(3)
    })

    test('REL-01 two processes share a queue and each job runs once', async () => {
      const mine = await collect(queue, 'turns', 4)
      const other = await another()
      const theirs = await collect(other, 'turns', 4)
      const ids = Array.from({ length: 120 }, (_, i) => `turn-${i}-1`)
      await Promise.all(ids.map((id, i) => (i % 2 ? queue : other).add('turns', id, i)))
      await vi.waitFor(
        () => expect(mine.length + theirs.length).toBeGreaterThanOrEqual(120),
        patience,
      )
      await sleep(100)
      expect([...mine, ...theirs].map((job) => job.id).sort()).toEqual(ids.toSorted())
    })

    test('REL-02 any JSON arrives as it was, save that NUL and lone surrogates became U+FFFD', async () => {
      const arrived = new Map<string, unknown>()
      await queue.consume('turns', 4, async (job) => {
        arrived.set(job.id, job.data)
      })
      let number = 0
      const nasty = fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom('\0', '\ud800', 'a\udc00b'),
      )
      const json = fc.letrec((tie) => ({
        value: fc.oneof(
          { depthSize: 'small' },
          nasty,
          fc.integer(),
          fc.boolean(),
          fc.constant(null),
          tie('list'),
          tie('record'),
        ),
        list: fc.array(tie('value'), { maxLength: 3 }),
        record: fc.dictionary(nasty, tie('value'), { maxKeys: 3 }),
      }))
      await fc.assert(
        fc.asyncProperty(json.value, async (data) => {
          const id = `turn-${number++}-1`
          await queue.add('turns', id, data)
          await vi.waitFor(() => expect(arrived.has(id)).toBe(true), patience)
          expect(arrived.get(id)).toEqual(cleaned(data))
        }),
        { numRuns: 60, examples: [['\0'], [{ '\0k': ['\ud800'] }], ['\\u0000']] },
      )
    })

    test('PROC-03 disposing a consumer waits for the work in hand and leaves the rest for others', async () => {
      const gate = Promise.withResolvers<void>()
      const started = Promise.withResolvers<void>()
      const finished: string[] = []
      const consumer = await queue.consume('turns', 1, async (job) => {
        started.resolve()
        await gate.promise
        finished.push(job.id)
      })
      await queue.add('turns', 'turn-1-1', {})
      await started.promise
      const closing = consumer[Symbol.asyncDispose]()
      await queue.add('turns', 'turn-2-1', {})
      expect(await Promise.race([closing.then(() => 'closed'), sleep(200, 'waits')])).toBe('waits')
      gate.resolve()
      await closing
      const before = [...finished]
      expect(before).toContain('turn-1-1')
      const rest = await collect(await another(), 'turns')
      await vi.waitFor(
        () => expect([...before, ...rest.map((job) => job.id)]).toEqual(['turn-1-1', 'turn-2-1']),
        patience,
      )
    })

    test('PROC-03 work that outlasts the grace is left behind with a word in the log', async () => {
      const warn = vi.fn()
      const hasty = await another({ log: { ...silentLog, warn }, graceMs: 50 })
      const started = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const consumer = await hasty.consume('turns', 1, async () => {
        started.resolve()
        await gate.promise
      })
      await queue.add('turns', 'turn-1-1', {})
      await started.promise
      await consumer[Symbol.asyncDispose]()
      expect(warn).toHaveBeenCalledWith(
        { queue: 'turns' },
        expect.stringContaining('unfinished jobs'),
      )
      gate.resolve()
    })

    test('REL-03 forget takes one queue with its jobs, and no other', async () => {
      await queue.add('tools-main.dead-replica', 'call-1-1', {})
      await queue.add('tools-main.other', 'call-2-1', 'stays')
      await (await another()).forget('tools-main.dead-replica')
      expect(await queue.depth('tools-main.dead-replica')).toBe(0)
      const seen = [
        await collect(queue, 'tools-main.dead-replica'),
        await collect(queue, 'tools-main.other'),
      ]
      await vi.waitFor(() => expect(seen[1]).toHaveLength(1), patience)
      await queue.add('tools-main.dead-replica', 'call-1-1', 'new')
      await vi.waitFor(() => expect(seen[0]).toHaveLength(1), patience)
      expect(seen).toMatchObject([[{ data: 'new' }], [{ data: 'stays' }]])
    })

    test('STORE-01 forgetAll forgets the jobs of every queue, also of processes that are gone', async () => {
      const gone = await another()
      await gone.add('tools-main.dead-replica', 'call-1-1', {})
      await gone.add('turns', 'turn-1-1', 'old')
      await gone[Symbol.asyncDispose]()

      await queue.forgetAll()
      expect(await queue.depth('turns')).toBe(0)
      const seen = [await collect(queue, 'turns'), await collect(queue, 'tools-main.dead-replica')]
      await queue.add('turns', 'turn-1-1', 'new')
      await vi.waitFor(() => expect(seen[0]).toHaveLength(1), patience)
      expect(seen).toEqual([[{ id: 'turn-1-1', data: 'new' }], []])
    })

    test.each(['', 'a:b', 'a b', 'ü', 'a/b', 'a\n', '12', 'wait', 'meta', 'stalled-check'])(
      'STORE-02 the id %j is refused',
      async (id) => {
        await expect(queue.add('turns', id, {})).rejects.toThrow('not a job id')
        expect(await queue.depth('turns')).toBe(0)
      },
    )

    test('PROC-03 a consumer may be disposed twice, and its queue goes on with others', async () => {
      const consumer = await queue.consume('turns', 1, async () => undefined)
      await Promise.all([consumer[Symbol.asyncDispose](), consumer[Symbol.asyncDispose]()])
      const seen = await collect(queue, 'turns')
      await queue.add('turns', 'turn-1-1', {})
      await vi.waitFor(() => expect(seen).toHaveLength(1), patience)
    })

    test('PROC-03 closing a queue waits for the work in hand of all its consumers', async () => {
      const closed = await another()
      const gate = Promise.withResolvers<void>()
      const [started, done] = [[], []] as string[][]
      for (const name of ['turns', 'results']) {
        await closed.consume(name, 1, async (job) => {
          started?.push(job.id)
          await gate.promise
          done?.push(job.id)
        })
        await queue.add(name, `${name}-1`, {})
      }
      await vi.waitFor(() => expect(started).toHaveLength(2), patience)
      const closing = closed[Symbol.asyncDispose]()
      gate.resolve()
      await closing
      expect(done?.toSorted()).toEqual(['results-1', 'turns-1'])
      expect(await queue.depth('turns')).toBe(0)
    })

    test('PROC-03 a closed queue takes no more work, and may be closed twice', async () => {
      const closed = await another()
      await closed[Symbol.asyncDispose]()
      await closed[Symbol.asyncDispose]()
      await expect(closed.add('turns', 'turn-1-1', {})).rejects.toThrow('closed')
      await expect(closed.consume('turns', 1, async () => undefined)).rejects.toThrow('closed')
      await expect(closed.depth('turns')).rejects.toThrow('closed')
    })
  })
}

async function collect(queue: Queue, name: string, concurrency = 1): Promise<QueueJob[]> {
  const seen: QueueJob[] = []
  await queue.consume(name, concurrency, async (job) => {
    seen.push(job)
  })
  return seen
}

function cleaned(data: unknown): unknown {
  if (typeof data === 'string') return data.toWellFormed().replaceAll('\0', '\uFFFD')
  if (Array.isArray(data)) return data.map(cleaned)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(
    Object.entries(data).map(([key, inner]) => [String(cleaned(key)), cleaned(inner)]),
  )
}
