/**
 * Progress lines of cargo. Its alignment and the version after the name are part of the patterns, so that output of a program
 * run by cargo is unlikely to match.
 */
export const cargoSteps: readonly string[] = [
  String.raw`(?: {3}Compiling| {4}Checking| {2}Downloaded| {7}Fresh| {7}Dirty| {3}Unpacking| {1}Documenting| {6}Adding| {4}Scraping) \S+ \(?v\d`,
  String.raw` {4}Updating (?:crates\.io index|git repository|\S+ v\d)`,
  String.raw` {5}Locking \d+ packages?`,
  String.raw` {1,2}Download(?:ing crates \.\.\.|ed \d+ crates?)`,
  ' {4}Blocking waiting for file lock ',
]

/**
 * Lines in which common tools report that one thing succeeded or that work continues. Words of failure in them are parts of
 * names (`test parse_error ... ok`, `Compiling thiserror v2`), so they are not checked.
 */
const begin: readonly string[] = [
  // Rust: libtest, nextest, cargo's own steps.
  String.raw`test .{1,512} \.\.\. (?:ok|ignored.*)$`,
  String.raw`\s+(?:PASS|SKIP|START) \[`,
  ...cargoSteps,
  // pytest, several at once
  String.raw`\[gw\d{1,4}\] \[ *\d+%\] (?:PASSED|SKIPPED|XFAIL) `,
  // go test
  String.raw`=== (?:RUN|PAUSE|CONT|NAME)\s`,
  String.raw`\s*--- (?:PASS|SKIP): `,
  String.raw`\?\s+\S+\s+\[no test files\]$`,
  'go: downloading ',
  // vitest, jest, mocha, node --test, playwright, gradle
  String.raw`\s*[✓✔√] `,
  String.raw`\s*[○↓] (?:skipped )?\S`,
  String.raw`PASS \S+\.[a-z]{2,4}`,
  String.raw`(?:> Task )?:[\w:-]+(?: (?:UP-TO-DATE|NO-SOURCE|SKIPPED|FROM-CACHE))?$`,
  // playwright, line by line
  String.raw`\[\d{1,6}/\d{1,6}\] (?:\(retries\) )?(?:\[[\w .-]{1,64}\] )?› \S`,
  // TAP
  String.raw`\s*ok \d{1,7} - \S`,
  // Debian packages without a terminal for questions
  String.raw`(?:#\d{1,5} \d{1,6}\.\d{1,6} )?debconf: (?:unable to initialize frontend: |\(Can't locate |falling back to frontend: |delaying package configuration)`,
  // Docker's legacy builder
  ' ---> (?:Removed intermediate container |Running in |Using cache$|[0-9a-f]{12}$)',
]

/** Lines recognised by their end: tests of pytest and gradle. */
const end: readonly string[] = [
  String.raw`[^\s:]{1,512}::.{1,512} (?:PASSED|SKIPPED|XFAIL)(?: \(.{1,256}\))?(?: +\[ *\d+%\])?$`,
  String.raw`\S+\.py [.sx]+ +\[ *\d+%\]$`,
  String.raw`[.sx]+ +\[ *\d+%\]$`,
  String.raw`\S+ > .* (?:PASSED|SKIPPED)$`,
]

const byBegin = new RegExp(`^(?:${begin.join('|')})`)

const byEnd = new RegExp(`^(?:${end.join('|')})`)

/** First and last characters of such lines: a cheap test that rules out most others. */
const firsts: ReadonlySet<string | undefined> = new Set('t \t=-?g[P>:o✓✔√○↓#d')

const lasts: ReadonlySet<string | undefined> = new Set('DL])')

/** The lines that `go test -v` prints when a test starts (`=== RUN   TestA/sub`) and when it ends. */
const step = /^=== (?:RUN|PAUSE|CONT|NAME) +(\S+)/

const verdict = /^\s*--- (PASS|SKIP|FAIL): (\S+)/

/** Last line of the output of a package. */
const packageEnd = /^(?:ok|FAIL) *\t/

/** Outcome of the test that a line names. */
export const failedLater = 1

const unfinished = 2

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

/**
 * Outcome of the test for each line that names a running Go test; 0 if it passed. If a test ends the process or hangs, only
 * these lines name it, and `unfinished` marks the last of them.
 */
export function findGoTests(lines: readonly string[]): Uint8Array {
  const outcomes = new Uint8Array(lines.length)
  /** Lines by name of each running test. */
  const open = new Map<string, number[]>()
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (!/^(?:=== |ok|FAIL|\s*--- )/.test(line)) continue
    const started = step.exec(line)?.[1]
    if (started !== undefined) {
      const lineNumbers = open.get(started) ?? []
      outcomes[lineNumbers.at(-1) ?? at] = 0
      outcomes[at] = unfinished
      open.set(started, lineNumbers)
      lineNumbers.push(at)
      continue
    }
    const [, word, name = ''] = verdict.exec(line) ?? []
    for (const index of open.get(name) ?? []) outcomes[index] = word === 'FAIL' ? failedLater : 0
    open.delete(name)
    if (packageEnd.test(line)) open.clear()
  }
  return outcomes
}

export function isKnownNoise(line: string): boolean {
  if (firsts.has(line[0]) && byBegin.test(line)) return true
  return lasts.has(line.at(-1)) && byEnd.test(line)
}
