import { findNoise } from './find-noise.ts'
import { belongs, tells } from './strategies/strategy.ts'

/**
 * OUT-05: words and signs by which tools tell of failures. Wide on purpose: a line too many costs some tokens, a line too few
 * costs the cause.
 */
const telltale = new RegExp(
  [
    'error|fail|fatal|panic|exception|traceback|abort|assert|segfault|segmentation|core dumped',
    'killed|out of memory|oom|time(?:d[ -])?[ -]?out|denied|refused|reset by|unreachable|rejected',
    "undefined|undeclared|unresolved|unable|cannot|can['’]t|could ?n['o’]t|not found|no such|not permitted|not allowed",
    'invalid|illegal|unexpected|unknown|unrecognized|unsupported|missing|mismatch|conflict|overflow|deadlock|crash',
    'broken|corrupt|expected|received|caused by|critical|severe|violat|returned a non-zero|exit (?:code|status)',
    String.raw`exited with|goroutine \d|data race|backoff|evicted|unhealthy|unbound|leaked|stop\.$|\berr!|not ok\b|no rule to`,
    // Answers of servers; a size is none (`456 kB`).
    'forbidden|unauthori[sz]ed|too many requests|bad (?:request|gateway)|unavailable',
    String.raw`(?:status|code|http[/\d.]{0,4}|return\w{0,3}|respon\w{1,5}|got|[:=>])[ :=(]{1,3}[45]\d\d(?:$|[^\w. ]| [^kmgt])| [45]\d\d$`,
  ].join('|'),
  'i',
)
/** Signs at a line's start: pytest's `E   `, apt's `E: `, crosses of test runners, pointers of code frames, diffs of assertions. */
const sign =
  /^\s*(?:[✗✕✘×❌✖⨯●❯╰│]|E:? |W: |>|-->|\+\+\+|---|\*\*\*|[-+] |at |left: |right: |File ")|❌|✖/u

/** How far a message goes on behind its first line. */
const mostFollowing = 60
/** What stands before a failure's first line and may belong to it: the code that failed. */
const before = 2
/** The end of the output says how it ended. */
const lastLines = 12

/**
 * OUT-05: what must stay when a command failed: what `tells` of a failure; what `belongs` to it, as the lines around it that may be its
 * message; and the end of the output. Lines that are known to be about what went well are none. `isCutShort`: something ended the
 * command, and then its last lines are all that says what it was at.
 */
export function findFailures(lines: readonly string[], isCutShort: boolean): Uint8Array {
  const kept = new Uint8Array(lines.length)
  const noise = findNoise(lines)
  let following = 0
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (noise[at] === 1) following = 0
    else if (isTelltale(line)) {
      following = mostFollowing
      for (let back = Math.max(0, at - before); back < at; back += 1) {
        if (noise[back] === 0 && kept[back] === 0) kept[back] = belongs
      }
      kept[at] = tells
    } else if (following > 0 && goesOn(lines, at)) {
      following -= 1
      kept[at] = belongs
    } else following = 0
  }
  keepEnd(lines, kept, isCutShort)
  return kept
}

/** Options of a command that is shown (`-Werror`) tell of none. */
const options = /\s--?[A-Za-z]\S*/g

function isTelltale(line: string): boolean {
  if (sign.test(line)) return true
  return telltale.test(line) && telltale.test(line.replace(options, ''))
}

/** A message ends at a blank line, unless what comes then is indented. */
function goesOn(lines: readonly string[], at: number): boolean {
  if (lines[at] !== '') return true
  return /^\s/.test(lines[at + 1] ?? '')
}

/** The very last line tells how it ended, whatever it looks like. */
function keepEnd(lines: readonly string[], kept: Uint8Array, isCutShort: boolean): void {
  let left = lastLines
  for (let at = lines.length - 1; at >= 0 && left > 0; at -= 1) {
    const isBlank = (lines[at] ?? '').trim() === ''
    if (!isBlank && (isCutShort || left === lastLines)) kept[at] = tells
    else if (kept[at] === 0) kept[at] = belongs
    if (!isBlank) left -= 1
  }
}
