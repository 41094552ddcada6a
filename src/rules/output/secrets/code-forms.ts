import { isWordy } from './randomness.ts'

const memberOf = /^!*[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+!?$/
const named = /^\w{0,64}(?:passw|pwd|secret|token)\w{0,64}$/i
const called = /^!*[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*[?!]?\.?[([{]/
const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** A variable, a member of one, a call, a tag of YAML, or the line of an account without its hash. */
export function isCode(value: string): boolean {
  if ((memberOf.test(value) || named.test(value)) && isWordy(value)) return true
  if (called.test(value) && (/[([{,]$/.test(value) || isExpression(value))) return true
  if (/^![A-Za-z]+$/.test(value)) return true
  return /^[\w-]+:[x*!]?:[0-9]*:/.test(value)
}

/** Each bracket is closed, no word begins directly behind one, and no sign stands there that expressions have not. */
function isExpression(value: string): boolean {
  if (/[)\]]\w|[#@^~]|\w!\w/.test(value)) return false
  const open: string[] = []
  for (const character of value) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in brackets && open.pop() !== brackets[character]) return false
  }
  return open.length === 0
}
