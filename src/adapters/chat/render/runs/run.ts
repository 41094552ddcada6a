/**
 * How a stretch of text is shown. Marks lie on the text itself, so that it can be split anywhere: whatever was open is
 * closed in one message and opened again in the next.
 */
export interface Marks {
  readonly quote?: true
  /** A block of code, and its language; empty: none is named. */
  readonly pre?: string
  /** A long block of code, of which a platform may show the first lines until a person wants the others (TG-06). */
  readonly folded?: true
  readonly code?: true
  readonly href?: string
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
}

/** Text with one set of marks. Outside of `pre`, line breaks stand alone, in runs that say what they end. */
export interface Run {
  readonly text: string
  readonly marks: Marks
  readonly breaks?: 'line' | 'block'
}

export const plain: Marks = {}
export const bold: Marks = { bold: true }
export const code: Marks = { code: true }
export const italic: Marks = { italic: true }

export function run(text: string, marks: Marks = plain): Run {
  return { text, marks }
}

export function lineBreak(marks: Marks = plain): Run {
  return { text: '\n', marks, breaks: 'line' }
}

/** Text that is not markdown, line by line; an empty line ends a block. */
export function plainRuns(text: string, marks: Marks = plain): Run[] {
  return text
    .split(/(\n+)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (!part.startsWith('\n')) return run(part, marks)
      return { text: part, marks, breaks: part.length > 1 ? 'block' : 'line' }
    })
}

export function textOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('')
}
