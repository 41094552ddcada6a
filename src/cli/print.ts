import { showControls } from '../rules/output/sanitise.ts'

/** Characters that JSON leaves unescaped and a terminal does not show. */
const hidden = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const pictures: Readonly<Record<string, string>> = { '\t': '\u2409', '\n': '\u240a' }

/** Writes to standard output; rejects if it was closed (`EPIPE`). */
export function print(text: string): Promise<void> {
  return write(process.stdout, text)
}

/** Writes to standard error. */
export function printError(text: string): Promise<void> {
  return write(process.stderr, text)
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Formats rows of cells as lines with aligned columns. */
export function alignRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(...rows.map((row) => lengthOf(row[index]))),
  )
  return rows.map((row) => {
    const cells = row.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)))
    return cells.join('  ').trimEnd()
  })
}

function lengthOf(text = ''): number {
  return [...text].length
}

/** Formats a value as one line of JSON without terminal control characters and without a line end. */
export function oneLineJson(value: unknown): string {
  return JSON.stringify(value).replace(hidden, toEscape)
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Makes untrusted text safe for one line of a terminal or file: control characters and line ends become visible symbols. */
export function plainText(text: string): string {
  return showControls(text).replace(/[\t\n\u2028\u2029]/g, (sign) => pictures[sign] ?? '\uFFFD')
}
