import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue } from '../../ports/queue.ts'
import { type JobHeader, resultsQueue, type WorkerMessage } from '../../rules/jobs/contract.ts'
import { type Signer, signMessage } from '../../rules/jobs/sign.ts'
import { hasExpired } from '../../rules/jobs/verify.ts'
import { unlessAborted } from '../../util/abort.ts'
import type { Log } from '../../util/log.ts'
import { backoffMs } from '../../util/run-periodically.ts'

/** Remembers jobs carried out by this process, by call id, until they expire. */
export class SeenJobs {
  readonly #seen = new Map<string, Pick<JobHeader, 'exp'>>()

  /** True if a job comes for the first time. */
  take({ callId, exp }: Pick<JobHeader, 'callId' | 'exp'>, nowSeconds: number): boolean {
    for (const [id, job] of this.#seen) if (hasExpired(job, nowSeconds)) this.#seen.delete(id)
    if (this.#seen.has(callId)) return false
    this.#seen.set(callId, { exp })
    return true
  }
}

const firstWaitMs = 100

const longestWaitMs = 5_000

/** Sends signed messages to the agents, retrying while the queue is unavailable. */
export class Poster {
  readonly #queue: Queue
  readonly #signer: Signer
  readonly #log: Log
  readonly #stop = new AbortController()
  readonly #sending = new Set<Promise<boolean>>()

  constructor(queue: Queue, signer: Signer, log: Log) {
    this.#queue = queue
    this.#signer = signer
    this.#log = log
  }

  /** Resolves to true once the queue has the message, to false if closed before. Never rejects. */
  async post(id: string, message: WorkerMessage): Promise<boolean> {
    const sending = this.#sendUntilTaken(id, message)
    this.#sending.add(sending)
    return sending.finally(() => this.#sending.delete(sending))
  }

  /** Sends a message that is useless later, with a single attempt. Never rejects. */
  async tryOnce(id: string, message: WorkerMessage): Promise<boolean> {
    try {
      await this.#queue.add(resultsQueue, id, signMessage(this.#signer, message))
      return true
    } catch (error) {
      this.#log.warn({ type: message.type, error: nameOf(error) }, 'failed to enqueue message')
      return false
    }
  }

  /** Waits up to `patienceMs` until everything is sent; the rest remains in the journal. */
  async close(patienceMs: number): Promise<void> {
    const patience = setTimeout(() => this.#stop.abort(), patienceMs)
    await Promise.all(this.#sending)
    clearTimeout(patience)
    this.#stop.abort()
  }

  async #sendUntilTaken(id: string, message: WorkerMessage): Promise<boolean> {
    const { signal } = this.#stop
    for (let tries = 0; !signal.aborted; tries += 1) {
      // A queue client that waits for its connection may never answer.
      if (await unlessAborted(this.tryOnce(id, message), signal, false)) return true
      const waitMs = backoffMs(tries, firstWaitMs, longestWaitMs)
      await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    }
    return false
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
