import type { LiveEvent } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { splitToWidth } from '../render/display-width.ts'
import { toPrintable, toPrintableLine } from '../render/printable.ts'

const previewRows = 12
const keptText = 8_000
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/** What the footer tells of the turn that runs: the text as it comes, and what is being done for how long. */
export class LiveStatus {
  #turn: { readonly id: string; readonly epoch: number } | undefined
  #text = ''
  #doing = ''
  #lastLine = ''
  #since = 0
  /** What of it comes late does not begin it again: nothing would end it then. */
  #ended: string | undefined

  get active(): boolean {
    return this.#turn !== undefined
  }

  take(event: LiveEvent, now: number): void {
    if (event.turnId === this.#ended) return
    if (this.#turn?.id !== event.turnId || this.#turn.epoch !== event.epoch) {
      this.#turn = { id: event.turnId, epoch: event.epoch }
      this.#text = ''
      this.#begin('thinking', now)
    }
    switch (event.kind) {
      case 'thinking':
        return
      case 'text':
        if (this.#text === '') this.#begin('writing', now)
        this.#text = (this.#text + event.text).slice(-keptText)
        return
      case 'progress':
        this.#begin(toPrintableLine(event.tool), now - event.elapsedMs)
        this.#lastLine = toPrintableLine(event.text)
        return
      default:
        assertNever(event)
    }
  }

  /** Something final was said: what was shown for the moment has had its time. `ended`: the turn that was over with it. */
  clear(ended?: string): void {
    this.#ended = ended ?? this.#ended
    this.#turn = undefined
    this.#text = ''
  }

  /** What was written so far was printed for good; the turn goes on. */
  said(): void {
    this.#text = ''
  }

  /** Rows for the footer, none while nothing runs. */
  rows(columns: number, now: number): string[] {
    if (this.#turn === undefined) return []
    const frame = frames[Math.floor(now / 250) % frames.length] ?? ''
    const elapsed = `${Math.floor(Math.max(0, now - this.#since) / 1000)} s`
    const status = [`${frame} ${this.#doing}`, elapsed, this.#lastLine]
    return [...this.#preview(columns), status.filter((part) => part !== '').join(' · ')]
  }

  #preview(columns: number): string[] {
    if (this.#text === '') return []
    return toPrintable(this.#text)
      .split('\n')
      .flatMap((line) => splitToWidth(line, Math.max(10, columns - 2)))
      .slice(-previewRows)
  }

  #begin(what: string, since: number): void {
    this.#doing = what
    this.#since = since
    this.#lastLine = ''
  }
}
