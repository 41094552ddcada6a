/** Signs that quote, or that count in the search for the end of a substitution. */
const counted = /['"`()\\$#]/
/** Up to the line's end, where it may be a comment to an old shell or not. */
const comment = /#[^'"`()\\\n]*(?:\n|$)/y
const backquoted = /`[\w .,:;/@=<>*+%^~!?&|-]*`/y
const doubleQuoted = /"[^"`\\$]*"/y

/**
 * Shells before bash 4 (macOS has one) do not know a here-document while they look for the `)` of the substitution that it
 * stands in: quotes and parentheses in it count. Whether they find the same end: the text is balanced to them, or
 * leaves a `'` open that nothing behind it closes, so that they refuse the whole.
 */
export function oldShellsAgree(body: string, behind: string): boolean {
  let depth = 0
  for (let at = 0; at < body.length; ) {
    const character = body[at] ?? ''
    if (!counted.test(character)) at += 1
    else if (character === "'") {
      const end = body.indexOf("'", at + 1)
      if (end === -1) return !behind.includes("'")
      at = end + 1
    } else {
      const next = behindSign(character, body, at)
      if (next === undefined) return false
      if (character === '(') depth += 1
      if (character === ')') depth -= 1
      if (depth < 0) return false
      at = next
    }
  }
  return depth === 0
}

/** Where reading goes on after a sign and all that belongs to it; undefined where shells may differ about it. */
function behindSign(sign: string, body: string, at: number): number | undefined {
  const next = body[at + 1] ?? ''
  if (sign === '$') return /['"`({[]/.test(next) ? undefined : at + 1
  if (sign === '(' || sign === ')') return at + 1
  if (sign === '\\') return undefined
  if (sign === '#' && /[^\s;&|()<>]/.test(body[at - 1] ?? '\n')) return at + 1
  const pattern = whole[sign]
  if (pattern === undefined) return undefined
  pattern.lastIndex = at
  return pattern.test(body) ? pattern.lastIndex : undefined
}

const whole: Readonly<Record<string, RegExp>> = {
  '#': comment,
  '`': backquoted,
  '"': doubleQuoted,
}
