/**
 * Where messages of failures stand, by the headings that test runners set above them. What looks like noise there is what a test
 * printed or compared, and is part of the message.
 */
export function findMessages(lines: readonly string[]): Uint8Array {
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

/** By the first line that is no part of it; with the output; with lines that are indented further than its first. */
type Ends = RegExp | 'with output' | 'with indent'

const jestEnd = /^(?:PASS|FAIL|RUNS) |^Test Suites: |^⎯|^ +(?:Test Files|Tests) /

/** By the form of what opens a message, the form of what ends it. */
const sections: readonly (readonly [opens: RegExp, ends: Ends])[] = [
  // pytest, vitest, mocha, node --test: all failures stand behind all else.
  [/^=+ (?:FAILURES|ERRORS) =+$/, 'with output'],
  [/^⎯+ ?(?:Failed|Unhandled) /, 'with output'],
  [/^ {2}\d{1,7} failing$/, 'with output'],
  [/^✖ failing tests:$/, 'with output'],
  // libtest, and nextest in its older form
  [/^---- .{1,512} std(?:out|err) ----$/, /^failures:$|^test result: FAILED/],
  [/^--- STD(?:OUT|ERR): /, /^ +[A-Z]+(?:-[A-Z]+)? +\[|^-{8,}$/],
  // jest, and vitest where the heading is not there
  [/^ {2}● /, jestEnd],
  [/^\s*- Expected(?: {2}- \d+)?$/, jestEnd],
  // nextest, go test, testify, playwright
  [/^ +std(?:out|err) ─+$/, 'with indent'],
  [/^\s+[^\s:]+\.go:\d+: /, 'with indent'],
  [/^\s+\d{1,7}\) \S/, 'with indent'],
]
/** Most lines open none, as their first characters say. */
const mayOpen = /^(?:[=⎯✖-]|\s+(?:\d|●|- E|std|[^\s:]+\.go:))/

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
