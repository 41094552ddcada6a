import type { Bus } from '../../src/ports/bus.ts'
import type { Queue, QueueJob } from '../../src/ports/queue.ts'

/** A queue in memory that refuses what the real ones refuse, and lets a test look at it and break it. */
export interface MemoryQueue extends Queue {
  /** Jobs that nobody has taken yet. */
  waiting(queue: string): readonly QueueJob[]
  /** Every job ever added, in order, the swallowed ones left out. */
  readonly added: readonly (QueueJob & { readonly queue: string })[]
  /** While true, `add` rejects as when the server is away. */
  isAway: boolean
}

interface Line {
  readonly waiting: QueueJob[]
  /** Ids that are waiting or in work: adding one again is swallowed. */
  readonly kept: Set<string>
  readonly consumers: Set<() => void>
}

export function createMemoryQueue(): MemoryQueue {
  const lines = new Map<string, Line>()
  const added: (QueueJob & { readonly queue: string })[] = []
  const lineOf = (name: string): Line => {
    const line = lines.get(name) ?? { waiting: [], kept: new Set(), consumers: new Set() }
    lines.set(name, line)
    return line
  }
  const queue: MemoryQueue = {
    added,
    isAway: false,
    waiting: (name) => [...lineOf(name).waiting],
    async add(name, id, data) {
      await tick()
      if (queue.isAway) throw new Error('the queue is away')
      if (!/^[A-Za-z0-9.-]+$/.test(id)) throw new Error(`job id ${id} is refused`)
      const line = lineOf(name)
      if (line.kept.has(id)) return
      line.kept.add(id)
      const job = { id, data: asStored(data) }
      added.push({ queue: name, ...job })
      line.waiting.push(job)
      for (const wake of line.consumers) wake()
    },
    async check() {
      await tick()
      if (queue.isAway) throw new Error('the queue is away')
    },
    async depth(name) {
      await tick()
      if (queue.isAway) throw new Error('the queue is away')
      return lineOf(name).kept.size
    },
    async consume(name, concurrency, handle) {
      const line = lineOf(name)
      const running = new Set<Promise<void>>()
      const wake = (): void => {
        while (running.size < concurrency) {
          const job = line.waiting.shift()
          if (job === undefined) return
          const done = work(job).finally(() => {
            running.delete(done)
            line.kept.delete(job.id)
            if (line.consumers.has(wake)) wake()
          })
          running.add(done)
        }
      }
      const work = async (job: QueueJob): Promise<void> => {
        await tick()
        // A handler that throws loses its job, as with the real queue.
        await handle(job).catch(() => undefined)
      }
      line.consumers.add(wake)
      wake()
      return {
        async [Symbol.asyncDispose]() {
          line.consumers.delete(wake)
          await Promise.all(running)
        },
      }
    },
    async forget(name) {
      lines.get(name)?.waiting.splice(0)
      lines.get(name)?.kept.clear()
    },
    async forgetAll() {
      for (const line of lines.values()) {
        line.waiting.length = 0
        line.kept.clear()
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  return queue
}

/** A bus in memory: at most 7,000 bytes a payload, handlers called later, nothing kept. */
export function createMemoryBus(): Bus {
  const handlers = new Map<string, Set<(payload: unknown) => void>>()
  return {
    async publish(topic, payload) {
      const text = JSON.stringify(payload)
      if (Buffer.byteLength(text) > 7000) throw new Error('a payload is over 7,000 bytes')
      await tick()
      for (const handle of handlers.get(topic) ?? []) handle(JSON.parse(text))
    },
    async subscribe(topic, handle) {
      const all = handlers.get(topic) ?? new Set()
      handlers.set(topic, all.add(handle))
      return { [Symbol.asyncDispose]: async () => void all.delete(handle) }
    },
    [Symbol.asyncDispose]: async () => handlers.clear(),
  }
}

function asStored(data: unknown): unknown {
  const text = JSON.stringify(data)
  // What PostgreSQL's jsonb refuses: the escapes of NUL and of a surrogate without its partner.
  const escapes = text.replaceAll('\\\\', '')
  if (/\\u0000|\\ud[89a-f]/i.test(escapes)) throw new Error('NUL or a lone surrogate is refused')
  return JSON.parse(text)
}

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
