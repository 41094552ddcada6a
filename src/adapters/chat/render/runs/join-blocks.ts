import { lineBreak, type Marks, type Run, run } from './run.ts'

export interface Part {
  readonly runs: readonly Run[]
  readonly isHeading: boolean
}

/** Blocks below one another: an empty line between them, none where `tight`, below a heading and beside what is boxed. */
export function joinBlocks(parts: readonly Part[], marks: Marks, tight: boolean): Run[] {
  const joined: Run[] = []
  let above: Part | undefined
  for (const part of parts) {
    if (part.runs.length === 0) continue
    if (above !== undefined) joined.push(gap(above, part, marks, tight))
    joined.push(...part.runs)
    above = part
  }
  return joined
}

/** A heading stays with what it heads. */
function gap(above: Part, below: Part, marks: Marks, tight: boolean): Run {
  if (above.isHeading || tight) return lineBreak(marks)
  const boxes = [above.runs.at(-1), below.runs[0]].filter(
    (piece) => piece !== undefined && isBox(piece, marks),
  )
  return { text: boxes.length === 1 ? '\n' : '\n\n', marks, breaks: 'block' }
}

/**
 * Puts `first` before the first line and `rest` before the others. What is drawn as a box cannot be indented; a
 * bullet stands above it.
 */
export function prefixLines(
  runs: readonly Run[],
  first: string,
  rest: string,
  marks: Marks,
): Run[] {
  const prefixed: Run[] = []
  const opening = runs[0]
  if (opening === undefined || isBox(opening, marks)) {
    prefixed.push(run(first.trimEnd(), marks), ...(opening === undefined ? [] : [lineBreak(marks)]))
  } else prefixed.push(run(first, marks))
  let isLineStart = false
  for (const piece of runs) {
    if (isLineStart && rest !== '' && piece.breaks === undefined && !isBox(piece, marks))
      prefixed.push(run(rest, marks))
    isLineStart = piece.breaks !== undefined
    prefixed.push(piece)
  }
  return prefixed
}

/** Whether it is set off from the text around it, which has these marks. */
function isBox({ marks }: Run, around: Marks): boolean {
  return marks.pre !== undefined || marks.quote !== around.quote
}
