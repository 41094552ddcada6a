import { failedLater, findGoTests } from '../find-go-tests.ts'
import { findNoise } from '../find-noise.ts'
import { type Strategy, tells } from './strategy.ts'

/** What runners say of the run itself, of no use once it has ended. */
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

/** By these it is known that tests ran and what became of them. */
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

/** Between pytest's `=====`. */
const pytestWords = /passed|failed|error|skipped|no tests ran/

/**
 * Drops what passed and the words around it; failures, their messages and the summary stay, because whatever is not known
 * to be about a passing test does.
 */
export const testSummary: Strategy = ({ lines, kept, failed }) => {
  // It stands near the end, where there is one.
  const known = lines.findLastIndex(isVerdict) !== -1
  const noise = findNoise(lines)
  const goTests = findGoTests(lines)
  const rest: string[] = []
  let noiseEnd = -1
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (noise[at] === 1 && !isHeading(lines, at, goTests[at] === failedLater)) {
      noiseEnd = Math.max(noiseEnd, passedFileEnd(lines, at))
    }
    if (at <= noiseEnd && kept[at] !== tells) continue
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

/** `go test -v` names a test above what it logged; where it failed, above whatever it printed. */
function isHeading(lines: readonly string[], at: number, hasFailed: boolean): boolean {
  if (!/^=== (?:RUN|NAME|CONT) /.test(lines[at] ?? '')) return false
  const next = lines[at + 1] ?? ''
  return hasFailed ? !/^(?:=== |\s*--- |$)/.test(next) : /^\s+\S+:\d+: /.test(next)
}

/** Jest's tree below `PASS file`: headings and passed tests, up to a blank line. Answers its last line. */
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

/** Each heading stands above something that is indented further. */
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

const mostOk = 10

/** `go test` says `ok` of each package: of many the first few are shown. */
function withFewOk(lines: readonly string[]): readonly string[] {
  const isOk = (line: string) => /^ok\s+\S+\s/.test(line)
  const count = lines.filter(isOk).length
  if (count <= mostOk) return lines
  let seen = 0
  return lines.flatMap((line) => {
    if (!isOk(line)) return [line]
    seen += 1
    if (seen > mostOk + 1) return []
    return seen <= mostOk ? [line] : [`[… ${count - mostOk} more packages ok …]`]
  })
}
