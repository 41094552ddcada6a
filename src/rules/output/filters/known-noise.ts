import { cargoSteps } from './cargo-steps.ts'

/**
 * Lines that say of one thing that it went well, or that work goes on, in the words of the common tools. A failure's words in
 * them are names (`test parse_error ... ok`, `Compiling thiserror v2`), so nothing guards them.
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
  // Debian's packages, where nobody can be asked
  String.raw`(?:#\d{1,5} \d{1,6}\.\d{1,6} )?debconf: (?:unable to initialize frontend: |\(Can't locate |falling back to frontend: |delaying package configuration)`,
  // Docker's builder before BuildKit
  ' ---> (?:Removed intermediate container |Running in |Using cache$|[0-9a-f]{12}$)',
]
/** Those that are known by how they end: pytest's, and gradle's tests. */
const end: readonly string[] = [
  String.raw`[^\s:]{1,512}::.{1,512} (?:PASSED|SKIPPED|XFAIL)(?: \(.{1,256}\))?(?: +\[ *\d+%\])?$`,
  String.raw`\S+\.py [.sx]+ +\[ *\d+%\]$`,
  String.raw`[.sx]+ +\[ *\d+%\]$`,
  String.raw`\S+ > .* (?:PASSED|SKIPPED)$`,
]

const byBegin = new RegExp(`^(?:${begin.join('|')})`)
const byEnd = new RegExp(`^(?:${end.join('|')})`)
/** The characters with which such lines can begin and end: most lines are none by these alone. */
const firsts: ReadonlySet<string | undefined> = new Set('t \t=-?g[P>:o✓✔√○↓#d')
const lasts: ReadonlySet<string | undefined> = new Set('DL])')

export function isKnownNoise(line: string): boolean {
  if (firsts.has(line[0]) && byBegin.test(line)) return true
  return lasts.has(line.at(-1)) && byEnd.test(line)
}
