import type { AskForHost } from '../../ports/egress.ts'
import { unlessAborted } from '../../util/abort.ts'
import type { Limits } from './egress-settings.ts'

/** Answer for a connection to a host that is not in the list. */
export type AskAnswer = 'allow' | 'deny' | 'late' | 'too-many' | 'nobody'

const hourMs = 3_600_000

/** Questions about hosts: one at a time for a host and port, and few in all, since people tire of them (THREAT-40). */
export class PendingAsks {
  readonly #ask: AskForHost | undefined
  readonly #limits: Limits
  readonly #pending = new Map<string, Promise<'allow' | 'deny'>>()
  /** Monotonic milliseconds of the questions of the last hour. */
  #asked: readonly number[] = []

  constructor(ask: AskForHost | undefined, limits: Limits) {
    this.#ask = ask
    this.#limits = limits
  }

  /** Waits for the answer; `late` after the time limit, or when the signal fires. The question stays. */
  async answer(host: string, port: number, signal: AbortSignal): Promise<AskAnswer> {
    const answer = this.#pending.get(`${host}:${port}`) ?? this.#start(host, port)
    if (typeof answer === 'string') return answer
    const over = AbortSignal.any([signal, AbortSignal.timeout(this.#limits.askMs)])
    return unlessAborted(answer, over, 'late')
  }

  #start(host: string, port: number): Promise<'allow' | 'deny'> | 'too-many' | 'nobody' {
    if (this.#ask === undefined) return 'nobody'
    const now = performance.now()
    this.#asked = this.#asked.filter((at) => at > now - hourMs)
    const { pendingAsks, asksPerHour } = this.#limits
    if (this.#pending.size >= pendingAsks || this.#asked.length >= asksPerHour) return 'too-many'
    this.#asked = [...this.#asked, now]
    const key = `${host}:${port}`
    const answer = settle(this.#ask, host, port).finally(() => this.#pending.delete(key))
    this.#pending.set(key, answer)
    return answer
  }
}

async function settle(ask: AskForHost, host: string, port: number): Promise<'allow' | 'deny'> {
  try {
    return (await ask(host, port)) === 'allow' ? 'allow' : 'deny'
  } catch {
    return 'deny'
  }
}
