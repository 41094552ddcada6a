import { lineBreak, type Marks, type Run, run } from './run.ts'

export interface Part {
  readonly runs: readonly Run[]
  readonly isHeading: boolean
}

/** Joins blocks with an empty line between them, except where `tight`, after a heading, and next to a box. */
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

/** A heading has no gap below. */
function gap(above: Part, below: Part, marks: Marks, tight: boolean): Run {
  if (above.isHeading || tight) return lineBreak(marks)
  const boxes = [above.runs.at(-1), below.runs[0]].filter(
    (piece) => piece !== undefined && isBox(piece, marks),
  )
  return { text: boxes.length === 1 ? '\n' : '\n\n', marks, breaks: 'block' }
}

/** Prefixes the first line with `first` and the others with `rest`. A box cannot be indented; a bullet is put above it. */
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

/** Whether a run is set off from surrounding text with these marks. */
function isBox({ marks }: Run, around: Marks): boolean {
  return marks.pre !== undefined || marks.quote !== around.quote
}
