import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Bus } from '../../src/ports/bus.ts'
import type { Log } from '../../src/util/log.ts'
import { silentLog } from '../../src/util/log.ts'

/** A place over which buses hear each other; each `open` is what another process would have. */
export interface BusPlace extends AsyncDisposable {
  open(log: Log): Promise<Bus>
}

const patience = { timeout: 20_000, interval: 10 }

/** What every implementation of the bus port keeps. */
export function busContract(name: string, createPlace: () => Promise<BusPlace>): void {
  describe(`bus on ${name}`, () => {
    let place: BusPlace
    let bus: Bus
    const open: Bus[] = []

    async function another(log: Log = silentLog): Promise<Bus> {
      const made = await place.open(log)
      open.push(made)
      return made
    }

    beforeEach(async () => {
      place = await createPlace()
      bus = await another()
    })
    afterEach(async () => {
      await Promise.all(open.splice(0).map((one) => one[Symbol.asyncDispose]()))
      await place[Symbol.asyncDispose]()
    })

    test('CHAT-04 what one process publishes, every subscriber of the topic hears, in order', async () => {
      const other = await another()
      const [here, there, elsewhere] = [[], [], []] as unknown[][]
      await bus.subscribe('live', (payload) => here?.push(payload))
      await other.subscribe('live', (payload) => there?.push(payload))
      await other.subscribe('cancel', (payload) => elsewhere?.push(payload))
      const sent = [{ n: 1, text: 'nul \0, lone \ud800, quote \' "' }, [null, 2], 'three']
      for (const payload of sent) await bus.publish('live', payload)
      await vi.waitFor(() => expect([here, there]).toEqual([sent, sent]), patience)
      expect(elsewhere).toEqual([])
    })

    test('CHAT-04 an event of over 7,000 bytes is dropped with a word in the log; one below arrives', async () => {
      const warn = vi.fn()
      const other = await another({ ...silentLog, warn })
      const heard: unknown[] = []
      await bus.subscribe('live', (payload) => heard.push(payload))
      await other.publish('live', 'ü'.repeat(3_600))
      await other.publish('live', 'x'.repeat(6_900))
      await vi.waitFor(() => expect(heard).toEqual(['x'.repeat(6_900)]), patience)
      expect(warn).toHaveBeenCalledOnce()
      expect(warn.mock.calls[0]?.[0]).toEqual({ topic: 'live', bytes: 7_229 })
    })

    test('CHAT-04 an event of exactly 7,000 bytes with its topic arrives, one byte more is dropped', async () => {
      const other = await another()
      const heard: unknown[] = []
      await other.subscribe('live', (payload) => heard.push(payload))
      const most = 7_000 - Buffer.byteLength(JSON.stringify({ topic: 'live', payload: '' }))
      const sent = ['x'.repeat(most + 1), 'x'.repeat(most), 'after']
      for (const payload of sent) await bus.publish('live', payload)
      await vi.waitFor(() => expect(heard).toContain('after'), patience)
      expect(heard).toEqual(sent.slice(1))
    })

    test('CHAT-04 many events of one process arrive in their order, whatever their topic', async () => {
      const other = await another()
      const heard: unknown[] = []
      const topics = ['live', 'live:1', '', '__proto__', 'ü "\' \\']
      for (const topic of topics) {
        await other.subscribe(topic, (payload) => heard.push([topic, payload]))
      }
      const sent = Array.from(
        { length: 60 },
        (_, i) => [topics[i % topics.length] ?? '', i] as const,
      )
      for (const [topic, payload] of sent) await bus.publish(topic, payload)
      await vi.waitFor(() => expect(heard).toHaveLength(sent.length), patience)
      expect(heard).toEqual(sent)
    })

    test('CHAT-04 a subscriber that throws is logged and harms no other', async () => {
      const error = vi.fn()
      const other = await another({ ...silentLog, error })
      const heard: unknown[] = []
      await other.subscribe('live', () => {
        throw new Error('broken')
      })
      await other.subscribe('live', (payload) => heard.push(payload))
      await bus.publish('live', 1)
      await bus.publish('live', 2)
      await vi.waitFor(() => expect(heard).toEqual([1, 2]), patience)
      expect(error).toHaveBeenCalledTimes(2)
    })

    test('CHAT-04 who no longer subscribes hears nothing more', async () => {
      const [left, stayed] = [[], []] as unknown[][]
      const subscription = await bus.subscribe('live', (payload) => left?.push(payload))
      await bus.subscribe('live', (payload) => stayed?.push(payload))
      await bus.publish('live', 1)
      await vi.waitFor(() => expect(left).toEqual([1]), patience)
      await subscription[Symbol.asyncDispose]()
      await bus.publish('live', 2)
      await vi.waitFor(() => expect(stayed).toEqual([1, 2]), patience)
      expect(left).toEqual([1])
    })

    test('CHAT-04 a handler that subscribes twice is told twice, and leaving twice harms nobody', async () => {
      const heard: unknown[] = []
      const handle = (payload: unknown) => heard.push(payload)
      const first = await bus.subscribe('live', handle)
      await bus.subscribe('live', handle)
      await bus.publish('live', 1)
      await vi.waitFor(() => expect(heard).toEqual([1, 1]), patience)
      await first[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
      await bus.publish('live', 2)
      await vi.waitFor(() => expect(heard).toEqual([1, 1, 2]), patience)
    })

    test('CHAT-04 a handler that leaves while it is told harms no other', async () => {
      const heard: unknown[] = []
      const mine = await bus.subscribe('live', () => void mine[Symbol.asyncDispose]())
      await bus.subscribe('live', (payload) => heard.push(payload))
      for (const payload of [1, 2]) await bus.publish('live', payload)
      await vi.waitFor(() => expect(heard).toEqual([1, 2]), patience)
    })

    test('PROC-03 a bus may be closed twice', async () => {
      const closed = await another()
      await Promise.all([closed[Symbol.asyncDispose](), closed[Symbol.asyncDispose]()])
      await closed[Symbol.asyncDispose]()
    })

    test('CHAT-04 publishing on a closed bus is a lost event, not an error', async () => {
      const heard: unknown[] = []
      const other = await another()
      await other.subscribe('live', (payload) => heard.push(payload))
      await other[Symbol.asyncDispose]()
      await other.publish('live', 1)
      await bus.publish('live', 2)
      await sleep(100)
      expect(heard).toEqual([])
    })
  })
}
