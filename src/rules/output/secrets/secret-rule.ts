import type { SecretSpan } from '../secret-shapes.ts'
import { runEnd } from './run-end.ts'

/** What one rule found at a place: the secrets, and the offset up to which the rule need not look again. */
export interface RuleMatch {
  readonly spans: readonly SecretSpan[]
  readonly end: number
}

/**
 * One kind of credential. A rule is asked only where one of its keywords stands, so that hundreds of them cost hardly
 * more than one; what it does there must be bounded, or advance `end` by what it read.
 */
export interface SecretRule {
  /** Three characters or more each. One with a capital (A–Z) stands for itself, one without for any case. */
  readonly keywords: readonly string[]
  /** `at`: where the keyword begins; `from`: the `end` of this rule's last match, 0 at first. */
  find(text: string, at: number, from: number): RuleMatch | undefined
}

export interface PatternOptions {
  /** How far before the keyword the pattern begins: so many characters, or the digits that stand there. */
  readonly back?: number | 'digits'
  /** A further test on the secret. */
  readonly accept?: (value: string) => boolean
  /** Flags beside `d` and `y`. */
  readonly flags?: 'i' | ''
}

/** A rule by a regular expression, tried at the keyword. The secret is group 1, or all of the match where there is none. */
export function byPattern(
  kind: string,
  keywords: readonly string[],
  source: string,
  options: PatternOptions = {},
): SecretRule {
  const { back = 0, accept, flags = '' } = options
  const pattern = new RegExp(source, `dy${flags}`)
  return {
    keywords,
    find(text, at, from) {
      const first = back === 'digits' ? beforeDigits(text, at) : at - back
      if (first < 0 || first < from) return undefined
      pattern.lastIndex = first
      const match = pattern.exec(text)
      if (match === null) return undefined
      const end = first + match[0].length
      const [start, stop] = match.indices?.[1] ?? [first, end]
      if (accept?.(text.slice(start, stop)) === false) return { spans: [], end }
      const whole = wholeToken(text, start, stop)
      return { spans: [{ start, end: whole, kind }], end: Math.max(end, whole) }
    },
  }
}

/** A token as long as this may be longer than its pattern reads: what goes on as it did is part of it. */
const long = 255

function wholeToken(text: string, start: number, end: number): number {
  if (end - start < long || !/[A-Za-z0-9+/=_-]/.test(text[end] ?? ' ')) return end
  return runEnd(text, end, /[^A-Za-z0-9+/=_.%~-]/g)
}

const mostDigits = 16

function beforeDigits(text: string, at: number): number {
  let first = at
  while (first > 0 && at - first < mostDigits && isDigit(text.charCodeAt(first - 1))) first -= 1
  return first
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
