import { failedLater, findGoTests, findNoise } from '../find-noise.ts'
import { keptAsFailure, type Strategy } from './strategy.ts'

/** Lines about the run itself, useless once it has ended. */
const runWords = new RegExp(
  `^(?:${[
    String.raw`running \d+ tests?$`,
    String.raw`\s+(?:Running|Doc-tests) `,
    String.raw`\s*Nextest run ID `,
    '─+$',
    String.raw`platform \S+ -- Python `,
    '(?:rootdir|cachedir|configfile|plugins|testpaths|asyncio): ',
    '(?:collecting|collected) ',
    '=+ test session starts =+$',
    'PASS$',
    String.raw`\s*RUN +v\d`,
  ].join('|')})`,
)

/** Lines that prove that tests ran, and their result. */
const verdict = new RegExp(
  `^(?:${[
    'test result: ',
    String.raw`\s+Summary \[`,
    String.raw`\d+ (?:passed|failed)`,
    String.raw`(?:ok|FAIL) +\S`,
    String.raw`ok\s`,
    String.raw`FAIL\b`,
    String.raw`\s*(?:Tests?|Test Files|Test Suites):? +\d`,
    String.raw`\s*\d+ (?:passed|failed|passing|failing|tests completed)\b`,
    String.raw`\s*[#ℹ] (?:pass|fail) \d`,
    'BUILD (?:SUCCESSFUL|FAILED)',
  ].join('|')})`,
)

/** Words between pytest's `=====`. */
const pytestWords = /passed|failed|error|skipped|no tests ran/

/**
 * Drops passed tests and progress. Failures, their messages and the summary stay, because every line not known to concern a
 * passed test is kept.
 */
export const testSummary: Strategy = ({ lines, kept, failed }) => {
  // The summary, if any, is near the end.
  const known = lines.findLastIndex(isVerdict) !== -1
  const noise = findNoise(lines)
  const goTests = findGoTests(lines)
  const rest: string[] = []
  let noiseEnd = -1
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (noise[at] === 1 && !isTestHeading(lines, at, goTests[at] === failedLater)) {
      noiseEnd = Math.max(noiseEnd, passedFileEnd(lines, at))
    }
    if (at <= noiseEnd && kept[at] !== keptAsFailure) continue
    const isSpare = !failed && kept[at] === 0 && runWords.test(line)
    const isSecondBlank = line === '' && rest.at(-1) === '' && at < lines.length - 1
    if (!isSpare && !isSecondBlank) rest.push(line)
  }
  return { lines: withFewOk(rest), confidence: known ? 'full' : 'fallback' }
}

function isVerdict(line: string): boolean {
  if (line.startsWith('=') && line.endsWith('=')) return pytestWords.test(line)
  return verdict.test(line)
}

/** Whether the line names a test above its log output or, if it failed, above anything it printed. */
function isTestHeading(lines: readonly string[], at: number, hasFailed: boolean): boolean {
  if (!/^=== (?:RUN|NAME|CONT) /.test(lines[at] ?? '')) return false
  const next = lines[at + 1] ?? ''
  return hasFailed ? !/^(?:=== |\s*--- |$)/.test(next) : /^\s+\S+:\d+: /.test(next)
}

/** Last line of jest's tree below `PASS file`, made of headings and passed tests; `at` if it is not such a tree. */
function passedFileEnd(lines: readonly string[], at: number): number {
  if (!/^PASS \S/.test(lines[at] ?? '')) return at
  let end = at
  let passed = 0
  while (end + 1 < lines.length && /^\s+\S/.test(lines[end + 1] ?? '')) {
    end += 1
    if (/^\s*[✓√○]/u.test(lines[end] ?? '')) passed += 1
    else if (!/^\s+[\p{L}\p{N}]/u.test(lines[end] ?? '')) return at
  }
  return passed > 0 && isTree(lines, at + 1, end) ? end : at
}

/** Whether each heading stands above a line that is indented further. */
function isTree(lines: readonly string[], from: number, to: number): boolean {
  for (let at = from; at <= to; at += 1) {
    const line = lines[at] ?? ''
    if (/^\s*[✓√○]/u.test(line)) continue
    if (at === to || indentOf(lines[at + 1] ?? '') <= indentOf(line)) return false
  }
  return true
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

const maxOkLines = 10

/** Shows only the first `ok` packages of `go test`. */
function withFewOk(lines: readonly string[]): readonly string[] {
  const isOk = (line: string) => /^ok\s+\S+\s/.test(line)
  const count = lines.filter(isOk).length
  if (count <= maxOkLines) return lines
  let seen = 0
  return lines.flatMap((line) => {
    if (!isOk(line)) return [line]
    seen += 1
    if (seen > maxOkLines + 1) return []
    return seen <= maxOkLines ? [line] : [`[… ${count - maxOkLines} more packages ok …]`]
  })
}
