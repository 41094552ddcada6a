import { lastSegment } from './command-segment.ts'
import type { CompiledFilter } from './compile-filters.ts'
import { type Confidence, worstOf } from './confidence.ts'
import { findFailures } from './find-failures.ts'
import { findNoise } from './find-noise.ts'
import type { LinePattern } from './line-pattern.ts'
import { tells } from './strategies/strategy.ts'

/**
 * Words by which a line names a failure, as words of their own: `error-stack` and `src/error.ts` are names. Wide on purpose, as a
 * line too many costs some tokens.
 */
const word = new RegExp(
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
 * Errors by their class (`java.lang.NullPointerException`), pytest's `E   `, apt's `E: `, levels of glog, syslog and pino, crosses of
 * test runners, make's stars, what `ls` could not look at, what Go was doing.
 */
const form =
  /[A-Za-z](?:Error|Exception|Panic|Failure)(?![\w/-]|\.\w)|^(?:#\d{1,5} \d{1,6}\.\d{1,6} )?E(?: {3}|: )|^[EF]\d{4} |^<[0-3]>|"level":[56]0\b|^\s*(?:[✗✕✘×❌✖⨯]|not ok\b)|\*\*\* |^[-bcdlps]\?{9}|^goroutine \d/u

/** Options of a command that is shown (`-Werror`) name none. */
const options = /\s--?[A-Za-z]\S*/g

/** What may stand before a program without being it: assignments, and programs that start another. */
const wrapper =
  /^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"'])*|sudo|time|env|nice|nohup|command|exec|timeout(?: -[ks] +[A-Z\d]\w*| -\S+)* \d\S*) +/

const mostWrappers = 8

export interface FilteredCommand {
  readonly command: string
  /** null: a signal or a time limit ended it. */
  readonly exitCode: number | null
}

/** What rules made of an output, and how sure they were. */
export interface Filtered {
  readonly text: string
  readonly rules: readonly { readonly name: string; readonly confidence: Confidence }[]
  readonly confidence: Confidence
  readonly linesBefore: number
  readonly linesAfter: number
}

/**
 * OUT-03…06: the output as the rules for its command leave it, one rule after the other; undefined: there is no rule for it.
 * What the product itself put before and behind the output stays.
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
    keepMarks(lines, kept)
    const result = strategy({ lines, kept, failed })
    lines = result.lines
    rules.push({ name, confidence: result.confidence })
  }
  const isEmptied = lines.every((line) => line === '') && body.some((line) => line !== '')
  const shown = isEmptied ? ['(nothing but noise)', ...lines.slice(-1)] : lines
  const after = head.length + tail.length === 0 ? shown : [...head, ...shown, ...tail]
  const shorter = after.join('\n')
  const isWorthIt = text.length < smallCharacters || shorter.length < text.length * mostOfLarge
  return {
    text: isWorthIt ? shorter : text,
    rules,
    confidence: worstOf(rules.map(({ confidence }) => confidence)),
    linesBefore: countLines(whole),
    linesAfter: countLines(isWorthIt ? after : whole),
  }
}

/** A second copy of a large output goes through the queue and the journal: one that saves next to nothing is not made. */
const smallCharacters = 20_000
const mostOfLarge = 0.95

function findKept(
  lines: readonly string[],
  how: {
    readonly failed: boolean
    readonly exitCode: number | null
    readonly quotes: LinePattern | undefined
  },
): Uint8Array {
  if (how.failed) return findFailures(lines, isCutShort(how.exitCode))
  return findNamedFailures(lines, how.quotes)
}

/** Whether a signal or a time limit ended it: `timeout` answers 124, a shell 128 and the signal's number. */
function isCutShort(exitCode: number | null): boolean {
  return exitCode === null || exitCode === 124 || (exitCode > 128 && exitCode <= 192)
}

/** Lines by which a part that was cut is marked (BASH-04, OUT-09). */
function keepMarks(lines: readonly string[], kept: Uint8Array): void {
  for (let at = 0; at < lines.length; at += 1) if (lines[at]?.startsWith('[… ')) kept[at] = tells
}

const mostRemarks = 4
const remark = /^\[.*\]$/

/** What stands in brackets at either end is the product's own: exit code, snapshot, secrets. */
function splitRemarks(lines: readonly string[]) {
  let end = lines.length
  for (let taken = 0; end > 0 && taken < mostRemarks; taken += 1) {
    const line = lines[end - 1] ?? ''
    if (!remark.test(line) && !(line === '' && end === lines.length)) break
    end -= 1
  }
  // A line end behind the output is no remark.
  if (lines.slice(end).every((line) => line === '')) end = lines.length
  const from = end > 0 && remark.test(lines[0] ?? '') ? 1 : 0
  const body = end - from === lines.length ? lines : lines.slice(from, end)
  return { head: lines.slice(0, from), body, tail: lines.slice(end) }
}

function countLines(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length
}

/** A command as rules may name it: as it stands, without `CI=1`, `time` and the like, and without its program's folder. */
export function commandNames(command: string): readonly string[] {
  let plain = command
  for (let taken = 0; taken < mostWrappers; taken += 1) {
    const inner = plain.replace(wrapper, '')
    if (inner === plain) break
    plain = inner
  }
  return [...new Set([command, plain, plain.replace(/^[^\s'"]*\//, '')])]
}

/**
 * OUT-05: what must stay of an output whose command went well: a script goes on after an error, and a log tells of others'. What is
 * known to be about what went well names none, nor does what `quotes` takes for the words of people.
 */
function findNamedFailures(lines: readonly string[], quotes?: LinePattern): Uint8Array {
  const kept = new Uint8Array(lines.length)
  const noise = findNoise(lines)
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (noise[at] === 0 && namesFailure(line) && quotes?.test(line) !== true) kept[at] = tells
  }
  return kept
}

function namesFailure(line: string): boolean {
  if (form.test(line)) return true
  return word.test(line) && word.test(line.replace(options, ''))
}
