import type { SecretSpan } from '../secret-shapes.ts'

/** Result of a rule: the secrets, and the offset up to which this rule need not search again. */
export interface RuleMatch {
  readonly spans: readonly SecretSpan[]
  readonly end: number
}

/**
 * A rule for one kind of credential. It is called only where one of its keywords occurs, so that hundreds of rules cost hardly
 * more than one. A call must read a bounded amount of text, or advance `end` past what it read.
 */
export interface SecretRule {
  /** At least three characters each. One with a capital (A–Z) is case-sensitive, one without is not. */
  readonly keywords: readonly string[]
  /** `at`: offset of the keyword; `from`: `end` of this rule's last match, initially 0. */
  find(text: string, at: number, from: number): RuleMatch | undefined
}

export interface PatternOptions {
  /** Distance from the start of the pattern back from the keyword: a number of characters, or the digits before it. */
  readonly back?: number | 'digits'
  /** Additional test on the secret. */
  readonly accept?: (value: string) => boolean
  /** Flags in addition to `d` and `y`. */
  readonly flags?: 'i' | ''
}

/**
 * Creates a rule from a regular expression, tried at the keyword. The secret is group 1, or the whole match if there is no
 * group.
 */
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

/** Length from which a token may exceed the limit of its pattern; following token characters are then added to it. */
const longToken = 255

function wholeToken(text: string, start: number, end: number): number {
  if (end - start < longToken || !/[A-Za-z0-9+/=_-]/.test(text[end] ?? ' ')) return end
  return runEnd(text, end, /[^A-Za-z0-9+/=_.%~-]/g)
}

const maxDigits = 16

function beforeDigits(text: string, at: number): number {
  let first = at
  while (first > 0 && at - first < maxDigits && isDigit(text.charCodeAt(first - 1))) first -= 1
  return first
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** End of the run at `from`. Linear in its length, and stores nothing. */
export function runEnd(text: string, from: number, outside: RegExp): number {
  outside.lastIndex = from
  return outside.exec(text)?.index ?? text.length
}
