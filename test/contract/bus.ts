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

    test('CHAT-04 publishing on a closed bus is a lost event, not an error', async () => {
      const heard: unknown[] = []
      const other = await another()
      await other.subscribe('live', (payload) => heard.push(payload))
      await other[Symbol.asyncDispose]()
      await bus.publish('live', 1)
      await sleep(100)
      expect(heard).toEqual([])
    })
  })
}
