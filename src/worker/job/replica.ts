import { randomBytes } from 'node:crypto'
import type { CallOutcome, WorkerMessage } from '../../rules/jobs/contract.ts'
import type { Settled } from './journal-entry.ts'
import type { Poster } from './poster.ts'

/** Call that an answer belongs to. */
export interface Addressee {
  readonly callId: string
  readonly attempt: number
}

/** Process of a worker, which sends messages to agents under its own id. */
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

  /** Sends the result of a call; resolves when the queue has it. */
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

  /** Settles a call that never started. */
  async refuse(
    call: Addressee,
    jobType: 'run' | 'preview' | 'cancel',
    outcome: CallOutcome,
  ): Promise<void> {
    await this.answer(call, jobType, { outcome, durationMs: 0 })
  }

  /** Announces that a call is running, without waiting. */
  announceStart({ callId, attempt }: Addressee): void {
    void this.#post('started', callId, attempt, {
      type: 'started',
      ...this.from(),
      callId,
      attempt,
    })
  }

  /** Returns the fields common to all messages of this replica. */
  from(): { readonly worker: string; readonly replica: string; readonly at: string } {
    return {
      worker: this.#worker,
      replica: this.id,
      at: new Date(this.#now()).toISOString(),
    }
  }

  // A unique id, since the queue ignores one that it still holds.
  #post(kind: string, callId: string, attempt: number, message: WorkerMessage): Promise<boolean> {
    const id = `${kind}-${callId}-${attempt}-${randomBytes(6).toString('hex')}`
    return this.#poster.post(id, message)
  }
}
