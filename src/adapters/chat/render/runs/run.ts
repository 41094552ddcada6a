/**
 * Style of a piece of text. Marks belong to the text itself, so that it can be split anywhere: open styles are closed in one
 * message and reopened in the next.
 */
export interface Marks {
  readonly quote?: true
  /** A block of code and its language; '' if none is named. */
  readonly pre?: string
  /** A long block of code, which a platform may fold (TG-06). */
  readonly folded?: true
  /** Details of a card, which a platform with folding quotes folds (CARD-02). */
  readonly details?: true
  readonly code?: true
  readonly href?: string
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  /** The point in time that the text names, in seconds since 1970, for platforms that know each reader's zone. */
  readonly instant?: number
}

/** Text with one set of marks. Outside of `pre`, line breaks are runs of their own with `breaks` set. */
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

/** Converts plain text to runs; an empty line ends a block. */
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
