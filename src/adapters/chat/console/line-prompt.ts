import { type EditedLine, editLine, emptyLine, type Key, pasteInto } from './edit-line.ts'
import type { History } from './history.ts'

export interface PromptEvents {
  /** Enter. `begunAt`: time of the line's first character, in milliseconds since 1970. */
  submit(text: string, startedAt: number): void
  escape(): void
  /** Ctrl-C. */
  interrupt(): void
  /** Ctrl-D on an empty line. */
  leave(): void
  changed(): void
}

/** The input line and its history. */
export class LinePrompt {
  readonly #history: History
  readonly #events: PromptEvents
  #line = emptyLine
  #startedAt = 0

  constructor(history: History, events: PromptEvents) {
    this.#history = history
    this.#events = events
  }

  get line(): EditedLine {
    return this.#line
  }

  clear(): void {
    this.#line = emptyLine
  }

  key(typed: string | undefined, key: Key): void {
    const { name } = key
    if (key.ctrl === true && name === 'c') this.#events.interrupt()
    else if (key.ctrl === true && name === 'd' && this.#line.text === '') this.#events.leave()
    else if ((name === 'return' || name === 'enter') && key.meta !== true) this.#submit()
    else if (name === 'escape') this.#events.escape()
    else if (name === 'up') this.#recall(this.#history.older(this.#line.text))
    else if (name === 'down') this.#recall(this.#history.newer())
    else this.#change(editLine(this.#line, typed, key))
    this.#events.changed()
  }

  paste(text: string): void {
    this.#change(pasteInto(this.#line, text))
    this.#events.changed()
  }

  #submit(): void {
    const { text } = this.#line
    this.clear()
    this.#events.submit(text, text === '' ? Date.now() : this.#startedAt)
  }

  #recall(text: string | undefined): void {
    if (text !== undefined) this.#change({ text, cursor: text.length })
  }

  #change(line: EditedLine): void {
    if (this.#line.text === '' && line.text !== '') this.#startedAt = Date.now()
    this.#line = line
  }
}
