import { proseLines } from './prose-lines.ts'

const maxLength = 32_000
/** In a paragraph, and in all. */
const maxMarks = 400
const maxAllMarks = 6_000
/** Comments and the like that may not end, in a paragraph: each is looked for to the paragraph's end. */
const maxOpenings = 100
/** Runs of backticks in a paragraph: cheaper, and a list of files is full of them. */
const maxTicks = 2_000
/** Quotes and list items in one another, and in all. */
const maxNesting = 40
const maxContainers = 2_000
const maxUnderlines = 200

/**
 * Whether markdown takes too long to parse. The parser's time grows with the square of the marks in a paragraph (comments
 * that do not end among them), of the lists and quotes, above all in one another, and of the headings by underline: 30 KB
 * of `*a_` would hold up the process for minutes. Code between fences costs nothing and is not counted.
 */
export function isHeavy(markdown: string): boolean {
  if (markdown.length > maxLength) return true
  const lines = proseLines(markdown)
  const parts = paragraphs(lines)
  const marks = parts.map((text) => count(text, /[*_~[\]]|<[!?]/g))
  const containers = lines.map((line) => count(containerMarks(line), /[-+*>.)]/g))
  return (
    marks.some((some) => some > maxMarks) ||
    parts.some((text) => count(text, /<[!?]/g) > maxOpenings) ||
    parts.some((text) => count(text, /`+/g) > maxTicks) ||
    sum(marks) > maxAllMarks ||
    lines.some((line, index) => nesting(line, containers[index] ?? 0) > maxNesting) ||
    sum(containers) > maxContainers ||
    lines.filter(isUnderline).length > maxUnderlines
  )
}

function paragraphs(lines: readonly string[]): string[] {
  return lines
    .map((line) => (line.trim() === '' ? '' : line))
    .join('\n')
    .split(/\n\n+/)
}

/** What a line may begin with to open quotes and list items. */
function containerMarks(line: string): string {
  return /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))*/.exec(line)?.[0] ?? ''
}

/** How deep a line may be: what it opens, and what it is within by its indent. */
function nesting(line: string, opened: number): number {
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0
  return opened === 0 ? 0 : opened + indent / 2
}

function isUnderline(line: string, index: number, lines: readonly string[]): boolean {
  return /^[ \t>]*(?:=+|-+)[ \t]*$/.test(line) && lines[index - 1]?.trim() !== ''
}

function count(text: string, mark: RegExp): number {
  return text.match(mark)?.length ?? 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
