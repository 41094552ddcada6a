import PQueue from 'p-queue'
import { takeSlot } from '../take-slot.ts'

/** Admits one holder at a time for each key, in order of arrival. */
export class OneAtATime {
  readonly #queues = new Map<string, PQueue>()

  /** Waits for the turn; dispose what comes back to end it. Rejects when aborted while it waits. */
  async enter(key: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    return takeSlot(this.#queues.get(key) ?? this.#add(key), signal)
  }

  #add(key: string): PQueue {
    const queue = new PQueue({ concurrency: 1 })
    this.#queues.set(key, queue)
    queue.addEventListener('idle', () => this.#queues.delete(key), { once: true })
    return queue
  }
}
