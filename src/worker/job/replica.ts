import { randomBytes } from 'node:crypto'
import type { CallOutcome, WorkerMessage } from '../../rules/jobs/contract.ts'
import type { Settled } from './journal-entry.ts'
import type { Poster } from './poster.ts'

/** Which call an answer is about. */
export interface Addressee {
  readonly callId: string
  readonly attempt: number
}

/** This process of a worker: speaks to the agents under its own name. */
export class Replica {
  readonly id: string
  readonly #worker: string
  readonly #poster: Poster
  readonly #now: () => number

  constructor(id: string, worker: string, poster: Poster, now: () => number) {
    this.id = id
    this.#worker = worker
    this.#poster = poster
    this.#now = now
  }

  /** Says how a call ended; resolves when the queue has it. */
  async answer(
    call: Addressee,
    jobType: 'run' | 'preview' | 'cancel',
    ended: Settled,
  ): Promise<void> {
    const { callId, attempt } = call
    await this.#post('result', callId, attempt, {
      type: 'result',
      ...this.from(),
      callId,
      attempt,
      jobType,
      ...ended,
    })
  }

  /** Settles a call that never began. */
  async refuse(
    call: Addressee,
    jobType: 'run' | 'preview' | 'cancel',
    outcome: CallOutcome,
  ): Promise<void> {
    await this.answer(call, jobType, { outcome, durationMs: 0 })
  }

  /** Says that a call truly runs. Nobody waits for it. */
  announceStart({ callId, attempt }: Addressee): void {
    void this.#post('started', callId, attempt, {
      type: 'started',
      ...this.from(),
      callId,
      attempt,
    })
  }

  /** The fields that every message of this replica has. */
  from(): { readonly worker: string; readonly replica: string; readonly at: string } {
    return {
      worker: this.#worker,
      replica: this.id,
      at: new Date(this.#now()).toISOString(),
    }
  }

  // Each sending has an id of its own: the queue swallows one that it still keeps.
  #post(kind: string, callId: string, attempt: number, message: WorkerMessage): Promise<boolean> {
    const id = `${kind}-${callId}-${attempt}-${randomBytes(6).toString('hex')}`
    return this.#poster.post(id, message)
  }
}
