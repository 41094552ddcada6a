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

export function isKnownNoise(line: string): boolean {
  if (firsts.has(line[0]) && byBegin.test(line)) return true
  return lasts.has(line.at(-1)) && byEnd.test(line)
}
