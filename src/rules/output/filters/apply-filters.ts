import { lastSegment } from './command-segment.ts'
import type { CompiledFilter } from './compile-filters.ts'
import { findFailures } from './find-failures.ts'
import { findNoise } from './find-noise.ts'
import type { LinePattern } from './line-pattern.ts'
import { type Confidence, keptAsFailure, worstOf } from './strategies/strategy.ts'

/**
 * Words that report a failure, not as part of a name such as `error-stack` or `src/error.ts`. Deliberately broad: a superfluous
 * line only costs some tokens.
 */
const failureWord = new RegExp(
  String.raw`(?<![\w/@-]|\w\.)(?:${[
    'errors?|errored|err|erro|fail|fails|failed|failing|failures?|fatal|panic(?:ked|s)?|exceptions?|traceback|abort(?:ed|ing|s)?',
    'critical|crit|severe|emerg(?:ency)?|alert|assertion|segfault|segmentation fault|core dumped|killed|oom|oomkilled|out of memory',
    'crash(?:ed|es|loopbackoff)?|deadlock|corrupt(?:ed|ion)?|broken|denied|refused|rejected|reset by peer|unreachable|unavailable|unhealthy',
    "evicted|forbidden|unauthori[sz]ed|time(?:d[ -])?[ -]?out|unable|cannot|can[’']t|could ?n[’'o]t|not found|no such|not permitted|not allowed",
    'invalid|illegal|unexpected|unrecognized|undefined|unresolved|conflicts?|mismatch|violat(?:ed|es|ion)|no rule to|no space left|data race',
    'too many requests|bad (?:request|gateway)|returned a non-zero|exit(?:ed)?(?: with)?(?: code| status)?:? -?[1-9]|sig(?:segv|abrt|kill|bus|ill|fpe)',
  ].join('|')})(?![\w/@-]|\.\w)`,
  'i',
)

/**
 * Other forms that report a failure: error classes (`java.lang.NullPointerException`), pytest's `E   `, apt's `E: `, log levels
 * of glog, syslog and pino, crosses of test runners, make's `***`, unreadable entries of `ls`, headings of Go's stack traces.
 */
const failureForm =
  /[A-Za-z](?:Error|Exception|Panic|Failure)(?![\w/-]|\.\w)|^(?:#\d{1,5} \d{1,6}\.\d{1,6} )?E(?: {3}|: )|^[EF]\d{4} |^<[0-3]>|"level":[56]0\b|^\s*(?:[✗✕✘×❌✖⨯]|not ok\b)|\*\*\* |^[-bcdlps]\?{9}|^goroutine \d/u

/** Command-line options (`-Werror`) in a printed command report no failure. */
const options = /\s--?[A-Za-z]\S*/g

/** Prefixes of a program: assignments, and programs that start another one. */
const wrapper =
  /^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"'])*|sudo|time|env|nice|nohup|command|exec|timeout(?: -[ks] +[A-Z\d]\w*| -\S+)* \d\S*) +/

const maxWrappers = 8

export interface FilteredCommand {
  readonly command: string
  /** null if a signal or a time limit ended the command. */
  readonly exitCode: number | null
}

/** Output after the rules were applied, and their confidence. */
export interface Filtered {
  readonly text: string
  readonly rules: readonly { readonly name: string; readonly confidence: Confidence }[]
  readonly confidence: Confidence
  readonly linesBefore: number
  readonly linesAfter: number
}

/**
 * Applies all rules that match the command, one after the other (OUT-03…06); undefined if none matches. Remarks that the
 * product itself added before and after the output are kept.
 */
export function applyFilters(
  filters: readonly CompiledFilter[],
  text: string,
  { command, exitCode }: FilteredCommand,
): Filtered | undefined {
  const segment = lastSegment(command)
  const names = commandNames(segment.command)
  const matching = filters.filter((filter) => names.some((name) => filter.matches(name)))
  if (matching.length === 0) return undefined
  const failed = exitCode !== 0 || !segment.ownsExitCode || segment.mayFollowFailure
  const whole = text.split('\n')
  const { head, body, tail } = splitRemarks(whole)
  let lines: readonly string[] = body
  const rules: Filtered['rules'][number][] = []
  for (const { name, strategy, guardsWords, quotes } of matching) {
    const kept = guardsWords
      ? findKept(lines, { failed, exitCode, quotes })
      : new Uint8Array(lines.length)
    keepOmissionMarks(lines, kept)
    const result = strategy({ lines, kept, failed })
    lines = result.lines
    rules.push({ name, confidence: result.confidence })
  }
  const isEmptied = lines.every((line) => line === '') && body.some((line) => line !== '')
  const shown = isEmptied ? ['(nothing but noise)', ...lines.slice(-1)] : lines
  const after = head.length + tail.length === 0 ? shown : [...head, ...shown, ...tail]
  const shorter = after.join('\n')
  const isWorthwhile = text.length < smallOutput || shorter.length < text.length * worthwhileShare
  return {
    text: isWorthwhile ? shorter : text,
    rules,
    confidence: worstOf(rules.map(({ confidence }) => confidence)),
    linesBefore: countLines(whole),
    linesAfter: countLines(isWorthwhile ? after : whole),
  }
}

/**
 * A large output must shrink below this share to be replaced: a second copy would go through queue and journal for little gain.
 */
const smallOutput = 20_000
const worthwhileShare = 0.95

function findKept(
  lines: readonly string[],
  how: {
    readonly failed: boolean
    readonly exitCode: number | null
    readonly quotes: LinePattern | undefined
  },
): Uint8Array {
  if (how.failed) return findFailures(lines, isCutShort(how.exitCode))
  return findReportedFailures(lines, how.quotes)
}

/** Whether a signal or a time limit ended the command: `timeout` exits with 124, a shell with 128 plus the signal number. */
function isCutShort(exitCode: number | null): boolean {
  return exitCode === null || exitCode === 124 || (exitCode > 128 && exitCode <= 192)
}

/** Keeps the lines that mark an omission (BASH-04, OUT-09). */
function keepOmissionMarks(lines: readonly string[], kept: Uint8Array): void {
  for (let at = 0; at < lines.length; at += 1)
    if (lines[at]?.startsWith('[… ')) kept[at] = keptAsFailure
}

const maxRemarks = 4
const remark = /^\[.*\]$/

/** Separates bracketed lines at both ends, which the product added: exit code, snapshot, secrets. */
function splitRemarks(lines: readonly string[]) {
  let end = lines.length
  for (let taken = 0; end > 0 && taken < maxRemarks; taken += 1) {
    const line = lines[end - 1] ?? ''
    if (!remark.test(line) && !(line === '' && end === lines.length)) break
    end -= 1
  }
  // A trailing line end is not a remark.
  if (lines.slice(end).every((line) => line === '')) end = lines.length
  const from = end > 0 && remark.test(lines[0] ?? '') ? 1 : 0
  const body = end - from === lines.length ? lines : lines.slice(from, end)
  return { head: lines.slice(0, from), body, tail: lines.slice(end) }
}

function countLines(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length
}

/**
 * The names by which rules may match a command: as written, without prefixes such as `CI=1` or `time`, and without the
 * directory of the program.
 */
export function commandNames(command: string): readonly string[] {
  let plain = command
  for (let taken = 0; taken < maxWrappers; taken += 1) {
    const inner = plain.replace(wrapper, '')
    if (inner === plain) break
    plain = inner
  }
  return [...new Set([command, plain, plain.replace(/^[^\s'"]*\//, '')])]
}

/**
 * Finds the lines that must stay in the output of a command that succeeded (OUT-05): scripts continue after errors, and logs
 * report failures of others. Known noise and lines that match `quotes` (people's words) are excluded.
 */
function findReportedFailures(lines: readonly string[], quotes?: LinePattern): Uint8Array {
  const kept = new Uint8Array(lines.length)
  const noise = findNoise(lines)
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (noise[at] === 0 && reportsFailure(line) && quotes?.test(line) !== true)
      kept[at] = keptAsFailure
  }
  return kept
}

function reportsFailure(line: string): boolean {
  if (failureForm.test(line)) return true
  return failureWord.test(line) && failureWord.test(line.replace(options, ''))
}

/** `[shell] 342 lines -> 28 lines, 91.8% filtered` (OUT-06); undefined if no line was removed. */
export function filterStatistics({
  linesBefore,
  linesAfter,
}: Pick<Filtered, 'linesBefore' | 'linesAfter'>): string | undefined {
  if (linesAfter >= linesBefore) return undefined
  const share = ((linesBefore - linesAfter) / linesBefore) * 100
  return `[shell] ${linesBefore} lines -> ${linesAfter} lines, ${share.toFixed(1)}% filtered`
}
