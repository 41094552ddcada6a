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

/**
 * OUT-05: what must stay of an output whose command went well: a script goes on after an error, and a log tells of others'. What is
 * known to be about what went well names none, nor does what `quotes` takes for the words of people.
 */
export function findNamedFailures(lines: readonly string[], quotes?: LinePattern): Uint8Array {
  const kept = new Uint8Array(lines.length)
  const noise = findNoise(lines)
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (noise[at] === 0 && namesFailure(line) && quotes?.test(line) !== true) kept[at] = tells
  }
  return kept
}

/** Options of a command that is shown (`-Werror`) name none. */
const options = /\s--?[A-Za-z]\S*/g

function namesFailure(line: string): boolean {
  if (form.test(line)) return true
  return word.test(line) && word.test(line.replace(options, ''))
}
