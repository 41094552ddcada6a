import { findNoise } from './find-noise.ts'
import { keptAsContext, keptAsFailure } from './strategies/strategy.ts'

/**
 * Words by which tools report failures (OUT-05). Deliberately broad: a superfluous line costs some tokens, a missing one hides
 * the cause.
 */
const failureWords = new RegExp(
  [
    'error|fail|fatal|panic|exception|traceback|abort|assert|segfault|segmentation|core dumped',
    'killed|out of memory|oom|time(?:d[ -])?[ -]?out|denied|refused|reset by|unreachable|rejected',
    "undefined|undeclared|unresolved|unable|cannot|can['’]t|could ?n['o’]t|not found|no such|not permitted|not allowed",
    'invalid|illegal|unexpected|unknown|unrecognized|unsupported|missing|mismatch|conflict|overflow|deadlock|crash',
    'broken|corrupt|expected|received|caused by|critical|severe|violat|returned a non-zero|exit (?:code|status)',
    String.raw`exited with|goroutine \d|data race|backoff|evicted|unhealthy|unbound|leaked|stop\.$|\berr!|not ok\b|no rule to`,
    // Answers of servers; sizes (`456 kB`) are excluded.
    'forbidden|unauthori[sz]ed|too many requests|bad (?:request|gateway)|unavailable',
    String.raw`(?:status|code|http[/\d.]{0,4}|return\w{0,3}|respon\w{1,5}|got|[:=>])[ :=(]{1,3}[45]\d\d(?:$|[^\w. ]| [^kmgt])| [45]\d\d$`,
  ].join('|'),
  'i',
)
/**
 * Signs at the start of a line: pytest's `E   `, apt's `E: `, crosses of test runners, pointers of code frames, diffs of
 * assertions.
 */
const failureSign =
  /^\s*(?:[✗✕✘×❌✖⨯●❯╰│]|E:? |W: |>|-->|\+\+\+|---|\*\*\*|[-+] |at |left: |right: |File ")|❌|✖/u

/** Maximum number of lines that a message continues after its first one. */
const maxFollowing = 60
/** Lines before a failure that may belong to it, such as the failing code. */
const linesBefore = 2
/** Lines at the end that tell how the command ended. */
const lastLines = 12

/**
 * Marks the lines to keep when a command failed (OUT-05): `keptAsFailure` for a line that reports a failure, `keptAsContext` for the lines
 * around it that may be its message and for the end of the output; known noise is not marked. `isCutShort`: a signal or time
 * limit ended the command, so its last lines show the current work and are marked `keptAsFailure`.
 */
export function findFailures(lines: readonly string[], isCutShort: boolean): Uint8Array {
  const kept = new Uint8Array(lines.length)
  const noise = findNoise(lines)
  let following = 0
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (noise[at] === 1) following = 0
    else if (reportsFailure(line)) {
      following = maxFollowing
      for (let back = Math.max(0, at - linesBefore); back < at; back += 1) {
        if (noise[back] === 0 && kept[back] === 0) kept[back] = keptAsContext
      }
      kept[at] = keptAsFailure
    } else if (following > 0 && continuesMessage(lines, at)) {
      following -= 1
      kept[at] = keptAsContext
    } else following = 0
  }
  keepEnd(lines, kept, isCutShort)
  return kept
}

/** Command-line options (`-Werror`) in a printed command report no failure. */
const options = /\s--?[A-Za-z]\S*/g

function reportsFailure(line: string): boolean {
  if (failureSign.test(line)) return true
  return failureWords.test(line) && failureWords.test(line.replace(options, ''))
}

/** A message ends at a blank line, unless an indented line follows. */
function continuesMessage(lines: readonly string[], at: number): boolean {
  if (lines[at] !== '') return true
  return /^\s/.test(lines[at + 1] ?? '')
}

/** Marks the last lines; the very last one always tells how the command ended. */
function keepEnd(lines: readonly string[], kept: Uint8Array, isCutShort: boolean): void {
  let left = lastLines
  for (let at = lines.length - 1; at >= 0 && left > 0; at -= 1) {
    const isBlank = (lines[at] ?? '').trim() === ''
    if (!isBlank && (isCutShort || left === lastLines)) kept[at] = keptAsFailure
    else if (kept[at] === 0) kept[at] = keptAsContext
    if (!isBlank) left -= 1
  }
}
