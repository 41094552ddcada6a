import { findGoTests, unfinished } from './find-go-tests.ts'
import { isKnownNoise } from './known-noise.ts'

const jestEnd = /^(?:PASS|FAIL|RUNS) |^Test Suites: |^⎯|^ +(?:Test Files|Tests) /

/** Heading patterns of failure messages, and what ends each message. */
const sections: readonly (readonly [opens: RegExp, ends: Ends])[] = [
  // pytest, vitest, mocha, node --test: all failures are printed after everything else.
  [/^=+ (?:FAILURES|ERRORS) =+$/, 'with output'],
  [/^⎯+ ?(?:Failed|Unhandled) /, 'with output'],
  [/^ {2}\d{1,7} failing$/, 'with output'],
  [/^✖ failing tests:$/, 'with output'],
  // libtest, and nextest in its older form
  [/^---- .{1,512} std(?:out|err) ----$/, /^failures:$|^test result: FAILED/],
  [/^--- STD(?:OUT|ERR): /, /^ +[A-Z]+(?:-[A-Z]+)? +\[|^-{8,}$/],
  // jest, and vitest without that heading
  [/^ {2}● /, jestEnd],
  [/^\s*- Expected(?: {2}- \d+)?$/, jestEnd],
  // nextest, go test, testify, playwright
  [/^ +std(?:out|err) ─+$/, 'with indent'],
  [/^\s+[^\s:]+\.go:\d+: /, 'with indent'],
  [/^\s+\d{1,7}\) \S/, 'with indent'],
]

/** Cheap test that rules out most lines by their first characters. */
const mayOpen = /^(?:[=⎯✖-]|\s+(?:\d|●|- E|std|[^\s:]+\.go:))/

/** 1 for each line that is known to report success or progress, judged by its form and position. */
export function findNoise(lines: readonly string[]): Uint8Array {
  const noise = new Uint8Array(lines.length)
  const inMessage = findMessages(lines)
  const goTests = findGoTests(lines)
  for (let at = 0; at < lines.length; at += 1) {
    if (inMessage[at] === 1 || goTests[at] === unfinished) continue
    if (isKnownNoise(lines[at] ?? '') || isHandedOut(lines, at)) noise[at] = 1
  }
  return noise
}

/**
 * `pytest -n -v` prints a test when a worker receives it, and again with its outcome. Without workers such a line is the
 * heading of the test's own output.
 */
function isHandedOut(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1] ?? ''
  return isNamed(lines[at] ?? '') && (isNamed(next) || /^\[gw\d{1,4}\] \[/.test(next))
}

function isNamed(line: string): boolean {
  return line.endsWith(' ') && /^[^\s:]{1,512}::\S/.test(line)
}

/**
 * Marks the messages of failures by the headings that test runners print above them. Text in a message that looks like noise
 * was printed or compared by a test, and must be kept.
 */
function findMessages(lines: readonly string[]): Uint8Array {
  const inMessage = new Uint8Array(lines.length)
  let open: Open | undefined
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (open !== undefined && hasEnded(open, line)) open = undefined
    open ??= openAt(line)
    if (open !== undefined) inMessage[at] = 1
  }
  return inMessage
}

interface Open {
  readonly ends: Ends
  readonly indent: number
}

/**
 * How a message ends: at the first line that matches; at the end of the output; at the first line that is not indented further
 * than its heading.
 */
type Ends = RegExp | 'with output' | 'with indent'

function openAt(line: string): Open | undefined {
  if (!mayOpen.test(line)) return undefined
  const found = sections.find(([opens]) => opens.test(line))
  return found === undefined ? undefined : { ends: found[1], indent: indentOf(line) }
}

function hasEnded({ ends, indent }: Open, line: string): boolean {
  if (ends === 'with output') return false
  if (ends !== 'with indent') return ends.test(line)
  return line !== '' && indentOf(line) <= indent
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
