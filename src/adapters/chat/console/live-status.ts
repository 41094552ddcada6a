import type { Messages } from '../../../domain/messages/messages.ts'
import type { LiveEvent } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/guards.ts'
import { splitToWidth } from '../render/display-width.ts'
import { toPrintable, toPrintableLine } from '../render/printable.ts'

const previewRows = 12
const keptText = 8_000
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/** State of the running turn for the footer: its text so far, and the current activity with its duration. */
export class LiveStatus {
  readonly #messages: Messages
  #turn: { readonly id: string; readonly epoch: number } | undefined
  #text = ''
  #activity = ''
  #lastLine = ''
  #since = 0
  /** Id of the last turn that ended: its late events must not restart it. */
  #endedTurn: string | undefined

  constructor(messages: Messages) {
    this.#messages = messages
  }

  get active(): boolean {
    return this.#turn !== undefined
  }

  take(event: LiveEvent, now: number): void {
    if (event.turnId === this.#endedTurn) return
    if (this.#turn?.id !== event.turnId || this.#turn.epoch !== event.epoch) {
      this.#turn = { id: event.turnId, epoch: event.epoch }
      this.#text = ''
      this.#setActivity(this.#messages.terminal.thinking, now)
    }
    switch (event.kind) {
      case 'thinking':
        return
      case 'text':
        if (this.#text === '') this.#setActivity(this.#messages.terminal.writing, now)
        this.#text = (this.#text + event.text).slice(-keptText)
        return
      case 'progress':
        this.#setActivity(toPrintableLine(event.tool), now - event.elapsedMs)
        this.#lastLine = toPrintableLine(event.text)
        return
      default:
        assertNever(event)
    }
  }

  /** Clears the status after a final message. `ended`: id of the turn that it ended. */
  clear(ended?: string): void {
    this.#endedTurn = ended ?? this.#endedTurn
    this.#turn = undefined
    this.#text = ''
  }

  /** Clears the text that was just printed; the turn continues. */
  clearText(): void {
    this.#text = ''
  }

  /** Rows of the footer; none while no turn runs. */
  rows(columns: number, now: number): string[] {
    if (this.#turn === undefined) return []
    const frame = frames[Math.floor(now / 250) % frames.length] ?? ''
    const elapsed = `${Math.floor(Math.max(0, now - this.#since) / 1000)} s`
    const status = [`${frame} ${this.#activity}`, elapsed, this.#lastLine]
    return [...this.#preview(columns), status.filter((part) => part !== '').join(' · ')]
  }

  #preview(columns: number): string[] {
    if (this.#text === '') return []
    return toPrintable(this.#text)
      .split('\n')
      .flatMap((line) => splitToWidth(line, Math.max(10, columns - 2)))
      .slice(-previewRows)
  }

  #setActivity(what: string, since: number): void {
    this.#activity = what
    this.#since = since
    this.#lastLine = ''
  }
}
