import { setTimeout as delay } from 'node:timers/promises'
import type { AckOutcome, DeliveryKind, Retry, Transport } from './transport.ts'

export interface DeliverySettings {
  /** Slack waits 3 seconds: https://docs.slack.dev/apis/events-api */
  ackTimeoutMs: number
  /** Slack tries an event again at once, after a minute, and after 5. */
  retryDelaysMs: readonly number[]
}

/** Something that was sent, with every try. */
export interface DeliveryRecord {
  readonly kind: DeliveryKind
  readonly payload: Readonly<Record<string, unknown>>
  readonly tries: { readonly retry: Retry | undefined; readonly outcome: AckOutcome }[]
  /** `open`: it is tried, or will be tried again. */
  state: 'open' | 'acked' | 'given up'
}

/** Sends what happens to the app, and events again that it did not acknowledge. */
export class Deliveries {
  readonly settings: DeliverySettings
  readonly records: DeliveryRecord[] = []
  readonly #transport: () => Transport
  readonly #changed: () => void
  readonly #stop = new AbortController()

  constructor(settings: DeliverySettings, transport: () => Transport, changed: () => void) {
    this.settings = settings
    this.#transport = transport
    this.#changed = changed
  }

  /** An event: tried again until it is acknowledged or given up. */
  event(payload: Readonly<Record<string, unknown>>): DeliveryRecord {
    const record = this.#record('events_api', payload)
    void this.#deliver(record)
    return record
  }

  /** Sends an event once more, though it was acknowledged. */
  repeat(record: DeliveryRecord): void {
    const retry = { attempt: record.tries.length, reason: 'timeout' }
    void this.#try(record, retry)
  }

  /** A click or a command: tried once, as there is somebody who waits. */
  async once(
    kind: 'interactive' | 'slash_commands',
    payload: Readonly<Record<string, unknown>>,
    acceptsResponse: boolean,
  ): Promise<AckOutcome> {
    const record = this.#record(kind, payload)
    const outcome = await this.#try(record, undefined, acceptsResponse)
    record.state = outcome.kind === 'acked' ? 'acked' : 'given up'
    this.#changed()
    return outcome
  }

  stop(): void {
    this.#stop.abort()
  }

  async #deliver(record: DeliveryRecord): Promise<void> {
    let outcome = await this.#try(record, undefined)
    for (const [index, pauseMs] of this.settings.retryDelaysMs.entries()) {
      if (outcome.kind === 'acked' || outcome.noRetry === true || this.#stop.signal.aborted) break
      const { signal } = this.#stop
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      outcome = await this.#try(record, { attempt: index + 1, reason: outcome.reason })
    }
    record.state = outcome.kind === 'acked' ? 'acked' : 'given up'
    this.#changed()
  }

  async #try(
    record: DeliveryRecord,
    retry: Retry | undefined,
    acceptsResponse = false,
  ): Promise<AckOutcome> {
    const { kind, payload } = record
    const outcome = await this.#transport().send(
      { kind, payload, acceptsResponse, retry },
      this.settings.ackTimeoutMs,
    )
    record.tries.push({ retry, outcome })
    this.#changed()
    return outcome
  }

  #record(kind: DeliveryKind, payload: Readonly<Record<string, unknown>>): DeliveryRecord {
    const record: DeliveryRecord = {
      kind,
      payload: structuredClone(payload),
      tries: [],
      state: 'open',
    }
    this.records.push(record)
    return record
  }
}
