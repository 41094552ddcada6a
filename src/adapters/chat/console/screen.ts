import type { Writable } from 'node:stream'
import { cutToWidth, displayWidth } from '../render/display-width.ts'
import type { EditedLine } from './edit-line.ts'

/** Content below the printed text: changing lines, and the line being written. */
export interface Footer {
  readonly lines: readonly string[]
  readonly prompt: string
  readonly line: EditedLine
}

const lineBreak = '⏎'

/**
 * A terminal whose footer stays at the bottom while text is printed above it. Rows of the footer never wrap, so their number is
 * known, and each change is one write.
 */
export class Screen {
  readonly #output: Writable
  #columns: number
  #footer: Footer | undefined
  #rowsAbove = 0

  constructor(output: Writable, columns: number) {
    this.#output = output
    this.#columns = usable(columns)
  }

  get columns(): number {
    return this.#columns
  }

  resize(columns: number): void {
    this.#columns = usable(columns)
    this.#write('')
  }

  /** Prints lines permanently above the footer. They may be styled but must have no other control characters. */
  print(text: string): void {
    this.#write(`${text}\n`)
  }

  show(footer: Footer): void {
    this.#footer = footer
    this.#write('')
  }

  /** Removes the footer. */
  close(): void {
    this.#footer = undefined
    this.#write('')
  }

  #write(printed: string): void {
    const erase = `\r${this.#rowsAbove > 0 ? `\u001b[${this.#rowsAbove}A` : ''}\u001b[J`
    this.#output.write(erase + printed.replaceAll('\n', '\r\n') + this.#draw())
  }

  #draw(): string {
    if (this.#footer === undefined) {
      this.#rowsAbove = 0
      return ''
    }
    const { lines, prompt, line } = this.#footer
    const room = this.#columns - 1
    const rows = lines.map((one) => cutToWidth(one, room))
    this.#rowsAbove = rows.length
    const { shown, cursor } = visiblePart(line, room - displayWidth(prompt))
    const column = displayWidth(prompt) + cursor
    return `${[...rows, prompt + shown].join('\r\n')}\r${column > 0 ? `\u001b[${column}C` : ''}`
  }
}

/** Some terminals report 0 columns; fewer than 20 are not usable. */
function usable(columns: number): number {
  return columns > 0 ? Math.max(20, columns) : 80
}

/** The part of a long line around its cursor. */
function visiblePart(line: EditedLine, columns: number): { shown: string; cursor: number } {
  const room = Math.max(4, columns - 1)
  const step = Math.max(1, Math.floor(room / 2))
  const written = Array.from(onOneRow(line.text.slice(0, line.cursor)))
  // Text far to the left is not measured, as a pasted line may be very long.
  const left = written.slice(Math.max(0, Math.floor(written.length / step) - 8) * step)
  let head = left.join('')
  while (displayWidth(head) > room - 2) {
    left.splice(0, step)
    head = left.join('')
  }
  const tail = cutToWidth(onOneRow(line.text.slice(line.cursor)), room - displayWidth(head))
  return { shown: head + tail, cursor: displayWidth(head) }
}

function onOneRow(text: string): string {
  return text
    .replaceAll('\n', lineBreak)
    .replaceAll('\t', ' ')
    .replaceAll(/\p{Cc}/gu, '')
}
