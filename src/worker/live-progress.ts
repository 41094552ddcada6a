import type { Bus } from '../ports/bus.ts'
import { type JobHeader, liveTopic } from '../rules/jobs/contract.ts'
import type { Redactor } from '../rules/output/create-redactor.ts'
import { createLiveRedactor } from '../rules/output/live-redactor.ts'

const intervalMs = 250
/** Milliseconds after which a silent call is reported. */
const silentMs = 1_000
/** The bus takes 7,000 bytes in all; the event is signed and escaped as text within JSON. */
const maxEventBytes = 6_300
const maxCharacters = 4_000

/** BASH-09, CHAT-04: publishes that a call runs, with its last lines, redacted, at most four times a second. */
export class LiveProgress implements Disposable {
  readonly #bus: Bus
  readonly #header: JobHeader
  readonly #redactor: ReturnType<typeof createLiveRedactor>
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  readonly #silence: NodeJS.Timeout
  #publishedAt = Number.NEGATIVE_INFINITY

  constructor(bus: Bus, header: JobHeader, redactor: Redactor) {
    this.#bus = bus
    this.#header = header
    this.#redactor = createLiveRedactor(redactor)
    this.#silence = setTimeout(() => this.#publish(), silentMs)
  }

  /** Adds output since the previous report; `isCut` if its beginning was dropped. */
  report(printed: string, isCut = false): void {
    clearTimeout(this.#silence)
    this.#redactor.append(printed, isCut)
    this.#timer ??= setTimeout(() => this.#publish(), this.#nextWaitMs())
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#silence)
    clearTimeout(this.#timer)
  }

  #nextWaitMs(): number {
    return Math.max(0, this.#publishedAt + intervalMs - performance.now())
  }

  #publish(): void {
    this.#timer = undefined
    this.#publishedAt = performance.now()
    const { conversation, turnId, epoch, callId, tool } = this.#header
    const elapsedMs = Math.round(this.#publishedAt - this.#startedAt)
    const event = { kind: 'progress', turnId, epoch, callId, tool, elapsedMs }
    const payload = shorten({ ...event, text: this.#redactor.read() })
    // Live events may be lost.
    void this.#bus
      .publish(liveTopic, { conversationId: conversation, event: payload })
      .catch(() => undefined)
  }
}

// Keeps the end of the text, which is new.
function shorten<Event extends { readonly text: string }>(event: Event): Event {
  let text = event.text.slice(-maxCharacters).toWellFormed()
  while (Buffer.byteLength(JSON.stringify(JSON.stringify({ ...event, text }))) > maxEventBytes) {
    text = text.slice(Math.ceil(text.length / 4)).toWellFormed()
  }
  return { ...event, text }
}
